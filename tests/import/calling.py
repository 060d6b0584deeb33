"""The program of soapsvc-import --client: compiled, and used against a server of the same contract."""

import json
import pathlib
import re
import signal
import subprocess

folder = pathlib.Path(__file__).resolve().parent
FLAGS = "-std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -DSOAPSVC_SPLIT"
LINKS = ["-lssl", "-lcrypto", "-lz", "-pthread"]
# The function bodies for the skeleton.
ROUTE = """
    if (!request.note) {
        throw soapsvc::fault(soapsvc::fault_code::client, "the road is <closed>").with(Closed{{2026, 12, 24}});
    }
    RouteResponse response;
    for (const Place& each : request.place)
        response.said.push_back(each.content + " " + std::to_string(each.zone.value_or(0)));
    response.by = request.id + " " + *request.note + (header ? " " + header->token : "");
    response.by += request.choice.until ? " " + request.choice.until->text() : "";
    return response;
"""
# A client of one's own: it links without any method, and a fault's detail has its type.
OWN = """#include <iostream>

#include "called.hpp"

int main(int, char** arguments) {
    soapsvc::client<routes::Routes> server{arguments[1], {}};
    routes::Route request;
    request.place.push_back({"here", {}});
    request.choice.days = 1;
    try {
        server.call(&routes::Routes::route, request, {});
    } catch (const soapsvc::remote_fault& refused) {
        if (const auto detail = soapsvc::read_detail<routes::Closed>(refused))
            std::cout << detail->until << std::endl;
    }
}
"""
REQUEST = {
    "Header": {"Login": {"@xmlns": "urn:calls", "Token": "s\u00e9same"}},
    "Body": {
        "Route": {
            "@xmlns": "urn:calls",
            "Place": [
                {"@xmlns": "urn:calls:geo", "@zone": 7, "#text": "Here & <there>"},
                {"@xmlns": "urn:calls:geo", "#text": "\U0001d11e\n\"end\""},
            ],
            "Note": "n",
            "Until": "2026-11-23",
            "@id": "a\"b",
        }
    },
}


def check_client(importer, where, compiler, library):
    """The errors of --client."""
    # Two headers: the one for a client alone has pure virtual methods.
    for header, program, option in (("calls", "server", "--skeleton"), ("called", "client", "--client")):
        subprocess.run([importer, folder / "calls.wsdl", "-o", where / f"{header}.hpp", option, where / f"{program}.cpp"],
                       check=True, capture_output=True)
    (where / "own.cpp").write_text(OWN)
    skeleton = "#include <iostream>\n" + (where / "server.cpp").read_text()
    skeleton = skeleton.replace("Routes::route(const Route&, const std::optional<Login>&)",
                                "Routes::route(const Route& request, const std::optional<Login>& header)")
    skeleton = re.sub(r'\n    ::not_implemented\("Route"\);\n', lambda _: ROUTE, skeleton)
    skeleton = skeleton.replace('    ::not_implemented("Forget");', '    std::cout << "forgotten" << std::endl;')
    skeleton = re.sub(r"\[\[noreturn\]\]", "[[noreturn, maybe_unused]]", skeleton)
    skeleton = skeleton.replace('host.bind({"127.0.0.1", 8080});', 'std::cout << host.bind({"127.0.0.1", 0}) << std::endl;')
    (where / "server.cpp").write_text(skeleton)
    for name in ("server", "client", "own"):
        subprocess.run(
            [*compiler.split(), *FLAGS.split(), "-I", folder.parent.parent, where / f"{name}.cpp", library, "-o",
             where / name, *LINKS], check=True,
        )
    # Other shapes of methods: several header blocks and told ones; parts of rpc.
    for name in ("headers", "rpc"):
        for more in ([], ["--skeleton", where / f"{name}_server.cpp"]):
            (where / "other.cpp").unlink(missing_ok=True)
            subprocess.run([importer, folder / f"{name}.wsdl", "-o", where / "calls.hpp", "--client", where / "other.cpp", *more],
                           check=True, capture_output=True)
            subprocess.run([*compiler.split(), *FLAGS.split(), "-I", folder.parent.parent, "-fsyntax-only", where / "other.cpp"],
                           check=True)
    with subprocess.Popen([where / "server"], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip()
            said = [server.stdout.readline() for _ in range(2)]
            if said[1:] != ["http://localhost:8080/routes\n"]:
                return [f"the server says that it is at {said}"]
            url = f"http://127.0.0.1:{port}/routes"
            own = subprocess.run([where / "own", url], capture_output=True, text=True, timeout=30)
            wrong = [] if own.stdout == "2026-12-24\n" else [f"a client of one's own: {own.stdout}{own.stderr}"]
            return wrong + check_calls(where / "client", url, where, server)
        finally:
            server.send_signal(signal.SIGKILL)


def check_calls(client, url, where, server):
    wrong = []

    def expect(status, *arguments, told="", given=None, at=url):
        made = subprocess.run([client, at, *arguments], input=given, capture_output=True, text=True, timeout=30)
        if made.returncode != status or told not in made.stderr or (not told and made.stderr):
            wrong.append(f"{arguments}: status {made.returncode}, {made.stdout}{made.stderr}")
        return made.stdout

    def body(response):
        """The values of a response in JSON; {} if it is not JSON, which `expect` has reported."""
        try:
            return next(iter(json.loads(response)["Body"].values()))
        except ValueError:
            return {}

    if expect(0) != "Routes.Route\nRoutes.Forget\n":
        wrong.append("operations are not listed")
    if "--sample" not in expect(0, "--help"):
        wrong.append("--help does not help")
    # Its own samples, in either notation and version.
    for version in ("1.1", "1.2"):
        for notation in ([], ["--json"]):
            sample = expect(0, "Route", "--sample", "--soap", version, *notation)
            response = expect(0, "Routes.Route", "-", "--soap", version, given=sample)
            if notation and "Said" not in body(response):
                wrong.append(f"the sample was answered with {response}")
            if not notation and (version == "1.2") != ("2003/05/soap-envelope" in sample and "2003/05" in response):
                wrong.append(f"not in SOAP {version}: {sample}{response}")
    # Files.
    request = where / "request.json"
    request.write_text(json.dumps(REQUEST))
    response = body(expect(0, "Route", request))
    said = ["Here & <there> 7", "\U0001d11e\n\"end\" 0"]
    if response.get("Said") != said or response.get("By") != 'a"b n s\u00e9same 2026-11-23':
        wrong.append(f"JSON was answered with {response}")
    request = where / "request.xml"
    request.write_text(
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><r:Route id="i" xmlns:r="urn:calls">'
        '<Place xmlns="urn:calls:geo">A</Place><r:Note>&#x6e;</r:Note><r:Days>2</r:Days></r:Route></e:Body></e:Envelope>')
    if ">A 0</Said><By>i n</By>" not in expect(0, "Route", request):
        wrong.append("XML was not answered")
    expect(0, "Forget", "-", given='{"Body": {"Forget": {"@xmlns": "urn:calls"}}}')
    if server.stdout.readline() != "forgotten\n":
        wrong.append("a request without a response did not arrive")
    # A fault with its detail; a body that is no request; no response.
    closed = json.dumps({"Body": {"Route": {**REQUEST["Body"]["Route"], "Note": None}}})
    fault = expect(1, "Route", "-", given=closed, told="fault: Client: the road is <closed>")
    if body(fault).get("detail") != {"Closed": {"@xmlns": "urn:calls", "Until": "2026-12-24"}}:
        wrong.append(f"the fault was {fault}")
    expect(2, "Route", "-", given=closed.replace("Until", "Untill"), told="not sent: Client: Route: the element 'Untill'")
    expect(2, "Forget", "-", given=closed, told="not sent: Client: the request is for Route")
    expect(2, "Route", "-", given='{"Body":\n {"Route": nul}}', told="the JSON: parse error at line 2, ")
    expect(2, "Route", "-", given='{"Body": {"Route": "\\ud800', told="the JSON: parse error at line 1, ")
    expect(2, "Route", "-", given='{"Body": {"Route": [[]]}}', told='the JSON, at "Route": a list must be')
    expect(2, "Route", "-", given='{"Body": {"Route": {"@id": {}}}}', told='the JSON, at "@id": an attribute')
    expect(2, "Route", "-", given='{"a":' * 101, told="more than 100 levels")
    # Digits of numbers are kept, whatever a double would make of them.
    expect(2, "Route", "-", given='{"Body": {"Route": {"@xmlns": "urn:calls", "@id": "i", "Until": 12345678901234567890.10}}}',
           told="'12345678901234567890.10'")
    expect(2, "Route", "-", given="", told="not sent: ")
    expect(2, "Route", "-", given="<a/>", told="not sent: ")
    expect(2, "Route", where / "none.xml", told="none.xml cannot be read")
    expect(2, "Rute", "--sample", told="there is no operation Rute")
    expect(2, "Route", told="give either --sample or a FILE to send")
    expect(2, "Route", "--sample", "--soap", told="--soap must be 1.1 or 1.2")
    expect(3, "Route", request, at="http://127.0.0.1:1/routes", told="cannot be reached")
    expect(3, "Route", request, at=url + "/elsewhere", told="404")
    return wrong
