"""`python -m cutover` is the program `cutover-client`."""

import sys

from ._program import main

sys.exit(main())
