"""Tests of a model: assertions on its scores, and a plugin of pytest that keeps its outputs."""

from .assertions import assert_not_worse as assert_not_worse
from .assertions import assert_score as assert_score
