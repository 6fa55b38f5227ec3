# SPDX-License-Identifier: BSD-3-Clause
"""Validates JSON files, or the output of a command, against a JSON schema.

validate.py SCHEMA FILE...
validate.py SCHEMA --output-of COMMAND ARGUMENT...

Exit status: 0 when all are valid, 1 when one is not, 77 (skipped, for ctest) without jsonschema.
"""

import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is not installed")
    sys.exit(77)


def documents(arguments):
    """Yields pairs of a name and a parsed document."""
    if arguments[0] == "--output-of":
        done = subprocess.run(arguments[1:], capture_output=True, text=True, check=True)
        yield " ".join(arguments[1:]), json.loads(done.stdout)
        return
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            yield path, json.load(file)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    invalid = 0
    for name, document in documents(sys.argv[2:]):
        for error in validator.iter_errors(document):
            invalid += 1
            print(f"{name}: {error.json_path}: {error.message}")
    return 1 if invalid else 0


if __name__ == "__main__":
    sys.exit(main())
