"""What a comparison warns of, which tests of odd texts and odd scores read."""

import warnings

from tercet import compare


def warned(*arguments, **options):
    """Return what a comparison warns of: raised, and in the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare(*arguments, **options)
    messages = [str(warning.message) for warning in caught]
    assert set(messages) <= {*found.warnings}
    return messages
