use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

fn busy<W, A>(lanes: &Lanes<W, A>) -> usize {
    lock(&lanes.desk).busy
}

/// Everybody gets the answer to their own work, no group is larger than it may be, no more lanes are used
/// than there are, and all are free at the end.
#[test]
fn everybody_is_answered_and_lanes_are_freed() {
    let lanes = Lanes::<usize, usize>::new(2, |group| group.len() <= 5);
    let (at_once, most, largest) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let double = |group: &[usize]| {
        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        largest.fetch_max(group.len(), Ordering::SeqCst);
        thread::yield_now();
        at_once.fetch_sub(1, Ordering::SeqCst);
        group.iter().map(|n| Ok(n * 2)).collect()
    };
    thread::scope(|scope| {
        for t in 0..16 {
            let (lanes, double) = (&lanes, &double);
            scope.spawn(move || {
                for n in 0..500 {
                    assert_eq!(lanes.run(t * 1_000 + n, double), Ok((t * 1_000 + n) * 2));
                }
            });
        }
    });
    assert_eq!(busy(&lanes), 0);
    assert!(most.into_inner() <= 2);
    assert!(largest.into_inner() <= 5);
}

/// Those who came while the lane was taken go together.
#[test]
fn who_waits_goes_together() {
    let lanes = Lanes::<u32, u32>::new(1, |group| group.iter().copied().sum::<u32>() <= 10);
    let (begun, is_begun) = mpsc::channel();
    let (finish, is_finished) = mpsc::channel::<()>();
    let is_finished = Mutex::new(is_finished);
    let groups = Mutex::new(Vec::new());
    let work = |group: &[u32]| {
        lock(&groups).push(group.to_vec());
        if group == [1] {
            begun.send(()).unwrap();
            lock(&is_finished).recv().unwrap();
        }
        group.iter().map(|n| Ok(*n)).collect()
    };
    let waiting = |count: usize| {
        while lock(&lanes.desk).waiting.len() < count {
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        let begin = |n| {
            let (lanes, work) = (&lanes, &work);
            scope.spawn(move || assert_eq!(lanes.run(n, work), Ok(n)));
        };
        begin(1);
        is_begun.recv().unwrap();
        for (count, n) in (1..).zip([2, 3, 5, 20, 4]) {
            begin(n);
            waiting(count);
        }
        finish.send(()).unwrap();
    });
    // One that fits with nobody goes alone.
    assert_eq!(*lock(&groups), [vec![1], vec![2, 3, 5], vec![20], vec![4]]);
}

#[test]
fn a_panic_leaves_nobody_waiting() {
    let lanes = Lanes::<u32, u32>::new(1, |_| true);
    let panics = |_: &[u32]| -> Vec<Answer<u32>> { panic!("it failed") };
    assert!(catch_unwind(AssertUnwindSafe(|| lanes.run(1, panics))).is_err());
    assert_eq!(busy(&lanes), 0);
    assert_eq!(lanes.run(2, |group| group.iter().map(|n| Ok(*n)).collect()), Ok(2));
}
