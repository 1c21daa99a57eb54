"""The classes of values that a room publishes, of which tests of rooms ask what holds for all."""

import dataclasses
import importlib
import pkgutil


def value_classes(room):
    """Return the public dataclasses that the modules of a room define, by name."""
    package = importlib.import_module(f"tercet.{room}")
    classes = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for name, found in vars(importlib.import_module(module.name)).items():
            is_own = getattr(found, "__module__", "") == module.name and not name.startswith("_")
            if is_own and isinstance(found, type) and dataclasses.is_dataclass(found):
                classes[name] = found
    return classes


def is_frozen(cls):
    """Return whether attributes of a value cannot be set, those that are no field either."""
    value = object.__new__(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    for name in [*names, "further"]:
        try:
            setattr(value, name, None)
        except (AttributeError, TypeError):  # slots of a class that was made anew raise TypeError for other names
            continue
        return False
    return True


def has_room_for_more(cls):
    """Return whether a value has a dict for attributes that are no field."""
    return hasattr(object.__new__(cls), "__dict__")
