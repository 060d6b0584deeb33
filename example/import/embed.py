"""embed.py OUTPUT PROGRAM...: a header with the text of each program, which the importer completes: a string
`NAME_program` of programs/NAME.cpp."""

import pathlib
import sys

made = "// Made from the programs beside the importer.\nnamespace importer {\n"
for path in map(pathlib.Path, sys.argv[2:]):
    made += f'\ninline constexpr char {path.stem}_program[] = R"program({path.read_text()})program";\n'
pathlib.Path(sys.argv[1]).write_text(made + "\n}  // namespace importer\n")
