"""The compiled engine and the plain one have the same functions with the same arguments."""

from inspect import getdoc, isfunction, signature

from tercet.engine import _engine, plain


def public(module):
    named = {name: value for name, value in vars(module).items() if callable(value) and not isinstance(value, type)}
    own = "tercet.engine."
    return {name: value for name, value in named.items() if name[0] != "_" and f"{value.__module__}".startswith(own)}


def arguments(function):
    return [(each.name, each.default) for each in signature(function).parameters.values()]


def test_names_and_arguments_are_the_same():
    ours = {name: arguments(function) for name, function in public(plain).items()}
    assert ours
    assert {name: arguments(function) for name, function in public(_engine).items()} == ours


def test_each_function_says_what_it_takes():
    for name, function in public(plain).items():
        assert isfunction(function), name
        assert "Parameters\n" in (getdoc(function) or ""), name
