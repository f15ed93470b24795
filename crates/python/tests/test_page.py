"""The examples of the page run, and print what it shows."""

import doctest
import os
import unittest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_the_examples_of_the_page(self):
        failed, attempted = doctest.testfile(os.fspath(PAGE), module_relative=False, encoding="utf-8")
        self.assertEqual(failed, 0)
        self.assertGreater(attempted, 5)


if __name__ == "__main__":
    unittest.main()
