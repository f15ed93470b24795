//! Rules about addresss.
