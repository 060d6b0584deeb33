// Mono's proxies, as its `wsdl` generates them, against the payroll demo:
// client_mono.exe URL 1.1|1.2 full|token
//
// Compiled once for each SOAP version, with proxies that were generated for it. Calls all six
// operations, checks typed values, faults and a round trip. The other clients in this folder make
// the same checks under the same names.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using System.Web.Services.Protocols;
using System.Xml;

static class Client {
    const string Namespaces = "https://payroll.example.com/soap/v3/";
    const string Awkward = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本";
    const string Invalid = "Invalid Authentication";
    const string Unauthorized = "Unauthorized access";

    static string address, version, token;
    static int passed, failed;
    static SignOn.SingleSignOn signOn;
    static Employees.EmployeeService employees;
    static Debtors.DebtorService debtors;

    static void Check(string name, bool good, object found = null) {
        if (good) ++passed;
        else ++failed;
        Console.WriteLine($"{(good ? "ok  " : "FAIL")} mono {version}: {name}{(good ? "" : ": " + found)}");
    }

    static string Shown<T>(IEnumerable<T> values) =>
        string.Join("|", values.Select(value => value == null ? "(absent)" : value.ToString()));

    static T Told<T>(T service) where T : SoapHttpClientProtocol {
        service.Url = $"{address}/soap/v3/{typeof(T).Name}.asmx";
        service.Timeout = 20000;
        return service;
    }

    /// The call must fail with the code in the text, and typed in the detail where there is one.
    static void Fault(string name, string service, int code, string message, Action call) {
        try {
            call();
            Check(name, false, "it was served");
        } catch (SoapException fault) {
            Check(name, fault.Message == $"Unable to process request. ---> {code}: {message}", fault.Message);
            string kind = version == "1.1" ? "Client" : "Sender";
            Check(name + ", its code", fault.Code.Name == kind && fault.Code.Namespace == Envelope(), fault.Code);
            if (version == "1.1" && code == 1001 && service != "SingleSignOn") {
                // SOAP 1.1, 4.4: an error about a header block carries no detail.
                Check(name + ", no detail", fault.Detail == null, fault.Detail?.OuterXml);
                return;
            }
            XmlElement error = fault.Detail?["Error", Namespaces + service];
            bool same = error?["Code"]?.InnerText == code.ToString() && error["Message"]?.InnerText == message;
            Check(name + ", its detail", same, fault.Detail?.OuterXml);
        }
    }

    static string Envelope() => version == "1.1" ? "http://schemas.xmlsoap.org/soap/envelope/"
                                                 : "http://www.w3.org/2003/05/soap-envelope";

    static Employees.EmployeeAddress[] Addresses(int employee, Employees.AuthHeaderWithDomain header) {
        employees.AuthHeaderWithDomainValue = header;
        return employees.Address_GetListCurrent(employee);
    }

    static Employees.AuthHeaderWithDomain Header(string domain, string user = null, string secret = null) =>
        new Employees.AuthHeaderWithDomain { Domain = domain, Username = user, Token = secret };

    static Debtors.WebhookSetting[] Settings(int debtor, string domain, string user = null, string secret = null) {
        debtors.AuthHeaderWithDomainValue =
            new Debtors.AuthHeaderWithDomain { Domain = domain, Username = user, Token = secret };
        return debtors.WebhookSettings_Get(debtor);
    }

    static void SignOnChecks() {
        string[] names = { "GetToken2", "GetToken", "GetTokenWithDomain" };
        string[] tokens = {
            signOn.GetToken2("alice", "api-token-alice"),
            signOn.GetToken("alice", "correct horse"),
            signOn.GetTokenWithDomain("alice", "correct horse", "acme"),
        };
        for (int i = 0; i < 3; ++i)
            Check(names[i] + " answers a token", Regex.IsMatch(tokens[i] ?? "", "^[A-Za-z0-9_-]{43}$"), tokens[i]);
        Check("every token is a new one", tokens.Distinct().Count() == 3, Shown(tokens));
        Fault("GetToken2, wrong API token", "SingleSignOn", 1001, Invalid,
              () => signOn.GetToken2("alice", "wrong"));
        Fault("GetToken, wrong password", "SingleSignOn", 1001, Invalid, () => signOn.GetToken("alice", "wrong"));
        Fault("GetTokenWithDomain, unknown domain", "SingleSignOn", 1001, Invalid,
              () => signOn.GetTokenWithDomain("alice", "correct horse", "nowhere"));
        Fault("GetToken2, all absent", "SingleSignOn", 1001, Invalid, () => signOn.GetToken2(null, null));
        token = tokens[0];
    }

    static void ListChecks() {
        var list = Addresses(1, Header("acme"));
        Check("employee 1 has three addresses", list.Length == 3, list.Length);
        string types = Shown(list.Select(a => a.Type));
        Check("types", types == "HomeAddress|PostAddress|WorkAddress", types);
        Check("one default, the first", Shown(list.Select(a => a.Default)) == "True|False|False");
        int[] ids = list.Select(a => a.Id).ToArray();
        Check("ids are numbers in order", ids.SequenceEqual(ids.Distinct().OrderBy(id => id)), Shown(ids));
        var filled = list.SelectMany(
            a => new[] { a.Street, a.HouseNumber, a.PostalCode, a.City, a.CountryISOCode });
        Check("the other fields are filled", filled.All(text => !string.IsNullOrEmpty(text)), Shown(filled));
        Check("umlauts", list[2].Street == "Königsallee" && list[2].City == "Düsseldorf", list[2].Street);
        var additions = list.Select(a => a.HouseNumberAddition);
        Check("one HouseNumberAddition is absent", additions.Count(a => a == null) == 1 && !additions.Contains(""),
              Shown(additions));
        var states = list.Select(a => a.StateProvince);
        Check("one StateProvince is empty", states.Count(s => s == "") == 1 && !states.Contains(null),
              Shown(states));
        Check("employee 2 has none", Addresses(2, Header("acme")).Length == 0);
        var many = Addresses(100, Header("acme"));
        Check("employee 100 has a hundred", many.Select(a => a.Id).Distinct().Count() == 100, many.Length);
        Check("employee 3 of the other domain", Addresses(3, Header("globex")).Length == 1);
    }

    static bool Served(Employees.AuthHeaderWithDomain header) => Addresses(1, header).Length == 3;

    static void Refused(
        string name, int code, string message, Employees.AuthHeaderWithDomain header, int employee = 1) =>
        Fault(name, "EmployeeService", code, message, () => Addresses(employee, header));

    static void HeaderChecks() {
        Check("header with an issued token", Served(Header("acme", "alice", token)));
        Check("header with the API token", Served(Header("acme", "alice", "api-token-alice")));
        Check("header without Domain", Served(Header(null, "alice", token)));
        var must = Header("acme");
        must.MustUnderstand = true;
        Check("header that must be understood", Served(must));
        Refused("wrong token", 1001, Invalid, Header("acme", "alice", "wrong"));
        Refused("missing header", 1001, Invalid, null);
        Refused("empty header", 1001, Invalid, Header(null));
        Refused("unknown domain", 1001, Invalid, Header("nowhere"));
        Refused("the domain of others", 1003, Unauthorized, Header("globex", "alice", token));
        Refused("unknown employee", 2003, Unauthorized, Header("acme"), 4711);
        Refused("employee of another domain", 2003, Unauthorized, Header("acme"), 3);
    }

    static int Insert(Employees.EmployeeAddress sent, int employee = 2) {
        employees.AuthHeaderWithDomainValue = Header("acme");
        return employees.Address_InsertCurrent(employee, sent);
    }

    static string[] Strings(Employees.EmployeeAddress a) => new[] {
        a.Street, a.HouseNumber, a.HouseNumberAddition, a.PostalCode, a.City, a.StateProvince, a.CountryISOCode };

    static Employees.EmployeeAddress Filled(Employees.AddressType type, params string[] texts) =>
        new Employees.EmployeeAddress {
            Street = texts[0], HouseNumber = texts[1], HouseNumberAddition = texts[2], PostalCode = texts[3],
            City = texts[4], StateProvince = texts[5], CountryISOCode = texts[6], Type = type };

    static void InsertChecks() {
        var sent = Filled(Employees.AddressType.HolidaysAddress, Awkward, "12", null, "1011 AB", " é ", "", "NL");
        int newId = Insert(sent);
        Check("insert answers a number", newId > 0, newId);
        var list = Addresses(2, Header("acme"));
        Check("the inserted address is listed alone", list.Length == 1 && list[0].Id == newId, Shown(list));
        Check("it reads back as it was sent", Strings(list[0]).SequenceEqual(Strings(sent)),
              Shown(Strings(list[0])));
        Check("its type and default", list[0].Type == sent.Type && !list[0].Default, list[0].Type);
        Check("the absent string stays absent", list[0].HouseNumberAddition == null);
        int bare = Insert(
            new Employees.EmployeeAddress { Default = true, Type = Employees.AddressType.WeekendAddress });
        int last = Insert(
            new Employees.EmployeeAddress { Default = true, Type = Employees.AddressType.WorkAddress });
        Check("ids rise", newId < bare && bare < last, $"{newId} {bare} {last}");
        var full = Filled(Employees.AddressType.AbsenceAddress, "a ü", "b\tb", "c", "d", "e\n\ne", "f", " g");
        var empty = Filled(Employees.AddressType.PostAddress, "", "", "", "", "", "", "");
        Insert(full);
        Insert(empty);
        list = Addresses(2, Header("acme"));
        string defaults = Shown(list.Select(a => a.Default));
        Check("a new default replaces the old", defaults == "False|False|True|False|False", defaults);
        Check("all strings absent", Strings(list[1]).All(text => text == null), Shown(Strings(list[1])));
        Check("all strings filled", Strings(list[3]).SequenceEqual(Strings(full)), Shown(Strings(list[3])));
        Check("all strings empty", Strings(list[4]).All(text => text == ""), Shown(Strings(list[4])));
        Fault("insert for an unknown employee", "EmployeeService", 2003, Unauthorized, () => Insert(empty, 4711));
        try {
            Check("insert of no address", false, Insert(null));
        } catch (SoapException fault) {
            Check("insert of no address", fault.Message.Contains("Address_InsertCurrent/Address"), fault.Message);
        }
    }

    static void DebtorChecks() {
        var found = Settings(1, "acme");
        string described = Shown(found.Select(s => $"{s.WebhookSettingId} {s.Name} {s.Active}"));
        Check("debtor 1 has its settings", described == "1 Payroll runs True|2 Archive False", described);
        Check("with an endpoint each", found.All(s => !string.IsNullOrEmpty(s.Endpoint)));
        string events = Shown(found[0].Event.Select(e => $"{e.EventId} {e.EventName} {e.Active}"));
        Check("with events", events == "1 Run Finish True|2 Journals Finish False", events);
        Check("or without", found[1].Event == null || found[1].Event.Length == 0);
        Check("debtor 2 has none", Settings(2, "acme").Length == 0);
        Check("debtor 3 of the other domain", Settings(3, "globex").Length == 1);
        Check("with an issued token", Settings(1, "acme", "alice", token).Length == 2);
        Fault("unknown debtor", "DebtorService", 2009, Unauthorized, () => Settings(4711, "acme"));
        Fault("debtor of another domain", "DebtorService", 2009, Unauthorized, () => Settings(3, "acme"));
        debtors.AuthHeaderWithDomainValue = null;
        Fault("debtor, missing header", "DebtorService", 1001, Invalid, () => debtors.WebhookSettings_Get(1));
    }

    /// Against a server that was started with --auth token --no-deprecated.
    static void TokenChecks() {
        try {
            Check("--no-deprecated: GetToken", false, signOn.GetToken("alice", "correct horse"));
        } catch (SoapException fault) {
            Check("--no-deprecated: GetToken", fault.Message.EndsWith("use GetToken2 instead"), fault.Message);
        }
        token = signOn.GetToken2("alice", "api-token-alice");
        Check("--auth token: with a token", Addresses(1, Header("acme", "alice", token)).Length == 3);
        Fault("--auth token: Domain alone", "EmployeeService", 1001, Invalid, () => Addresses(1, Header("acme")));
        Fault("--auth token: Domain alone, debtor", "DebtorService", 1001, Invalid, () => Settings(1, "acme"));
    }

    static void Main(string[] arguments) {
        (address, version) = (arguments[0], arguments[1]);
        // Mono has a store of its own; the test's certificate is trusted here by what it is.
        string file = Environment.GetEnvironmentVariable("SSL_CERT_FILE");
        if (file != null) {
            string expected = new X509Certificate2(file).GetCertHashString();
            ServicePointManager.ServerCertificateValidationCallback =
                (sender, certificate, chain, errors) => certificate.GetCertHashString() == expected;
        }
        try {
            signOn = Told(new SignOn.SingleSignOn());
            employees = Told(new Employees.EmployeeService());
            debtors = Told(new Debtors.DebtorService());
            Check("the proxies speak the version",
                  (signOn.SoapVersion == SoapProtocolVersion.Soap12) == (version == "1.2"), signOn.SoapVersion);
            if (arguments[2] == "token") {
                TokenChecks();
            } else {
                SignOnChecks();
                ListChecks();
                HeaderChecks();
                InsertChecks();
                DebtorChecks();
            }
        } catch (Exception error) { // a client that gives up is a failed check, not a missing one
            Check("no error of the client's own", false, error);
        }
        Console.WriteLine($"{passed} passed, {failed} failed");
        // Returning from Main now and then waits half a minute for an idle thread of Mono's own pool.
        Environment.Exit(failed == 0 ? 0 : 1);
    }
}
