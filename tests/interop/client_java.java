// Java's JAX-WS, as `wsimport` generates from the three WSDLs, against the payroll demo:
// Client URL 1.1|1.2 full|token
//
// Calls all six operations, checks typed values, faults and a round trip. The other clients in this
// folder make the same checks under the same names.

import java.io.FileInputStream;
import java.net.URL;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.xml.soap.Detail;
import javax.xml.ws.soap.SOAPFaultException;
import org.w3c.dom.Node;

class Client {
    static final String NAMESPACES = "https://payroll.example.com/soap/v3/";
    static final String AWKWARD = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本";
    static final String INVALID = "Invalid Authentication";
    static final String UNAUTHORIZED = "Unauthorized access";

    static String address;
    static String version;
    static String token;
    static int passed;
    static int failed;
    static signon.SingleSignOnSoap signOn;
    static employees.EmployeeServiceSoap employeePort;
    static debtors.DebtorServiceSoap debtorPort;

    static void check(String name, boolean good, Object found) {
        if (good) ++passed;
        else ++failed;
        String more = good ? "" : ": " + found;
        System.out.println((good ? "ok  " : "FAIL") + " java " + version + ": " + name + more);
    }

    static void check(String name, boolean good) { check(name, good, ""); }

    static boolean is11() { return version.equals("1.1"); }

    static URL wsdl(String service) throws Exception {
        return new URL(address + "/soap/v3/" + service + ".asmx?wsdl");
    }

    static void connect() throws Exception {
        signon.SingleSignOn first = new signon.SingleSignOn(wsdl("SingleSignOn"));
        employees.EmployeeService second = new employees.EmployeeService(wsdl("EmployeeService"));
        debtors.DebtorService third = new debtors.DebtorService(wsdl("DebtorService"));
        signOn = is11() ? first.getSingleSignOnSoap() : first.getSingleSignOnSoap12();
        employeePort = is11() ? second.getEmployeeServiceSoap() : second.getEmployeeServiceSoap12();
        debtorPort = is11() ? third.getDebtorServiceSoap() : third.getDebtorServiceSoap12();
        check("the WSDLs are read", true);
    }

    /** The call must fail with the code in the text, and typed in the detail where there is one. */
    static void fault(String name, String service, int code, String message, Callable<?> call) throws Exception {
        try {
            check(name, false, call.call());
        } catch (SOAPFaultException caught) {
            var fault = caught.getFault();
            String text = fault.getFaultString();
            check(name, text.equals("Unable to process request. ---> " + code + ": " + message), text);
            String kind = fault.getFaultCodeAsQName().getLocalPart();
            check(name + ", its code", kind.equals(is11() ? "Client" : "Sender"), kind);
            Detail detail = fault.getDetail();
            if (is11() && code == 1001 && !service.equals("SingleSignOn")) {
                // SOAP 1.1, 4.4: an error about a header block carries no detail.
                check(name + ", no detail", detail == null, detail);
                return;
            }
            Node error = detail == null ? null : detail.getFirstChild();
            String found = error == null ? "none"
                : "{" + error.getNamespaceURI() + "}" + error.getLocalName() + " "
                + error.getFirstChild().getTextContent() + " " + error.getLastChild().getTextContent();
            String expected = "{" + NAMESPACES + service + "}Error " + code + " " + message;
            check(name + ", its detail", found.equals(expected), found);
        }
    }

    static employees.AuthHeaderWithDomain header(String domain, String user, String secret) {
        var made = new employees.AuthHeaderWithDomain();
        made.setDomain(domain);
        made.setUsername(user);
        made.setToken(secret);
        return made;
    }

    static employees.AuthHeaderWithDomain header(String domain) { return header(domain, null, null); }

    static List<employees.EmployeeAddress> addresses(int employee, employees.AuthHeaderWithDomain header) {
        return employeePort.addressGetListCurrent(employee, header).getEmployeeAddress();
    }

    static List<debtors.WebhookSetting> settings(int debtor, String domain, String user, String secret) {
        var header = new debtors.AuthHeaderWithDomain();
        header.setDomain(domain);
        header.setUsername(user);
        header.setToken(secret);
        return debtorPort.webhookSettingsGet(debtor, header).getWebhookSetting();
    }

    static void signOnChecks() throws Exception {
        String[] names = {"GetToken2", "GetToken", "GetTokenWithDomain"};
        String[] tokens = {
            signOn.getToken2("alice", "api-token-alice"),
            signOn.getToken("alice", "correct horse"),
            signOn.getTokenWithDomain("alice", "correct horse", "acme"),
        };
        for (int i = 0; i < 3; ++i)
            check(names[i] + " answers a token", tokens[i].matches("[A-Za-z0-9_-]{43}"), tokens[i]);
        check("every token is a new one", new TreeSet<>(Arrays.asList(tokens)).size() == 3);
        String service = "SingleSignOn";
        fault("GetToken2, wrong API token", service, 1001, INVALID, () -> signOn.getToken2("alice", "wrong"));
        fault("GetToken, wrong password", service, 1001, INVALID, () -> signOn.getToken("alice", "wrong"));
        fault("GetTokenWithDomain, unknown domain", service, 1001, INVALID,
            () -> signOn.getTokenWithDomain("alice", "correct horse", "nowhere"));
        fault("GetToken2, all absent", service, 1001, INVALID, () -> signOn.getToken2(null, null));
        token = tokens[0];
    }

    static void listChecks() {
        var list = addresses(1, header("acme"));
        check("employee 1 has three addresses", list.size() == 3, list.size());
        var types = list.stream().map(a -> a.getType().value()).collect(Collectors.toList());
        check("types", types.equals(List.of("HomeAddress", "PostAddress", "WorkAddress")), types);
        var defaults = list.stream().map(a -> a.isDefault()).collect(Collectors.toList());
        check("one default, the first", defaults.equals(List.of(true, false, false)), defaults);
        check("ids are numbers in order", list.get(0).getId() < list.get(1).getId()
            && list.get(1).getId() < list.get(2).getId());
        check("the other fields are filled", list.stream().allMatch(a -> !a.getStreet().isEmpty()
            && !a.getHouseNumber().isEmpty() && !a.getPostalCode().isEmpty() && !a.getCity().isEmpty()
            && !a.getCountryISOCode().isEmpty()));
        check("umlauts", list.get(2).getStreet().equals("Königsallee"), list.get(2).getStreet());
        check("one HouseNumberAddition is absent", list.get(0).getHouseNumberAddition() != null
            && list.get(1).getHouseNumberAddition() == null && list.get(2).getHouseNumberAddition() != null);
        check("one StateProvince is empty",
            list.stream().filter(a -> a.getStateProvince().isEmpty()).count() == 1);
        check("employee 2 has none", addresses(2, header("acme")).isEmpty());
        var many = addresses(100, header("acme")).stream().map(a -> a.getId()).distinct().count();
        check("employee 100 has a hundred", many == 100, many);
        check("employee 3 of the other domain", addresses(3, header("globex")).size() == 1);
    }

    static void refused(String name, int code, String message, employees.AuthHeaderWithDomain header, int employee)
        throws Exception {
        fault(name, "EmployeeService", code, message, () -> addresses(employee, header));
    }

    static void headerChecks() throws Exception {
        check("header with an issued token", addresses(1, header("acme", "alice", token)).size() == 3);
        check("header with the API token", addresses(1, header("acme", "alice", "api-token-alice")).size() == 3);
        check("header without Domain", addresses(1, header(null, "alice", token)).size() == 3);
        refused("wrong token", 1001, INVALID, header("acme", "alice", "wrong"), 1);
        refused("missing header", 1001, INVALID, null, 1);
        refused("empty header", 1001, INVALID, header(null), 1);
        refused("unknown domain", 1001, INVALID, header("nowhere"), 1);
        refused("the domain of others", 1003, UNAUTHORIZED, header("globex", "alice", token), 1);
        refused("unknown employee", 2003, UNAUTHORIZED, header("acme"), 4711);
        refused("employee of another domain", 2003, UNAUTHORIZED, header("acme"), 3);
    }

    static int insert(int employee, employees.EmployeeAddress sent) {
        return employeePort.addressInsertCurrent(employee, sent, header("acme"));
    }

    static List<String> strings(employees.EmployeeAddress a) {
        return Arrays.asList(a.getStreet(), a.getHouseNumber(), a.getHouseNumberAddition(), a.getPostalCode(),
            a.getCity(), a.getStateProvince(), a.getCountryISOCode());
    }

    static employees.EmployeeAddress filled(employees.AddressType type, boolean isDefault, String... texts) {
        var made = new employees.EmployeeAddress();
        made.setType(type);
        made.setDefault(isDefault);
        if (texts.length == 0) return made;
        made.setStreet(texts[0]);
        made.setHouseNumber(texts[1]);
        made.setHouseNumberAddition(texts[2]);
        made.setPostalCode(texts[3]);
        made.setCity(texts[4]);
        made.setStateProvince(texts[5]);
        made.setCountryISOCode(texts[6]);
        return made;
    }

    static void insertChecks() throws Exception {
        var sent = filled(employees.AddressType.HOLIDAYS_ADDRESS, false,
            AWKWARD, "12", null, "1011 AB", " é ", "", "NL");
        int newId = insert(2, sent);
        check("insert answers a number", newId > 0, newId);
        var list = addresses(2, header("acme"));
        check("the inserted address is listed alone", list.size() == 1 && list.get(0).getId() == newId);
        check("it reads back as it was sent", strings(list.get(0)).equals(strings(sent)), strings(list.get(0)));
        check("its type and default", list.get(0).getType() == sent.getType() && !list.get(0).isDefault());
        check("the absent string stays absent", list.get(0).getHouseNumberAddition() == null);
        int bare = insert(2, filled(employees.AddressType.WEEKEND_ADDRESS, true));
        int last = insert(2, filled(employees.AddressType.WORK_ADDRESS, true));
        check("ids rise", newId < bare && bare < last, bare);
        var full = filled(employees.AddressType.ABSENCE_ADDRESS, false,
            "a ü", "b\tb", "c", "d", "e\n\ne", "f", " g");
        var empty = filled(employees.AddressType.POST_ADDRESS, false, "", "", "", "", "", "", "");
        insert(2, full);
        insert(2, empty);
        list = addresses(2, header("acme"));
        var defaults = list.stream().map(a -> a.isDefault()).collect(Collectors.toList());
        check("a new default replaces the old",
            defaults.equals(List.of(false, false, true, false, false)), defaults);
        check("all strings absent", strings(list.get(1)).stream().allMatch(Objects::isNull), strings(list.get(1)));
        check("all strings filled", strings(list.get(3)).equals(strings(full)), strings(list.get(3)));
        check("all strings empty", strings(list.get(4)).stream().allMatch(""::equals), strings(list.get(4)));
        fault("insert for an unknown employee", "EmployeeService", 2003, UNAUTHORIZED, () -> insert(4711, empty));
        try {
            check("insert of no address", false, insert(2, null));
        } catch (SOAPFaultException caught) {
            String text = caught.getFault().getFaultString();
            check("insert of no address", text.startsWith("Address_InsertCurrent/Address"), text);
        }
        try {
            check("insert of no type", false, insert(2, filled(null, false)));
        } catch (SOAPFaultException caught) {
            String text = caught.getFault().getFaultString();
            check("insert of no type", text.startsWith("Address_InsertCurrent/Address/Type"), text);
        }
    }

    static void debtorChecks() throws Exception {
        var found = settings(1, "acme", null, null);
        var described = found.stream().map(s -> s.getWebhookSettingId() + " " + s.getName() + " " + s.isActive())
            .collect(Collectors.toList());
        check("debtor 1 has its settings",
            described.equals(List.of("1 Payroll runs true", "2 Archive false")), described);
        check("with an endpoint each", found.stream().allMatch(s -> !s.getEndpoint().isEmpty()));
        var events = found.get(0).getEvent().stream()
            .map(e -> e.getEventId() + " " + e.getEventName() + " " + e.isActive()).collect(Collectors.toList());
        check("with events", events.equals(List.of("1 Run Finish true", "2 Journals Finish false")), events);
        check("or without", found.get(1).getEvent().isEmpty());
        check("debtor 2 has none", settings(2, "acme", null, null).isEmpty());
        check("debtor 3 of the other domain", settings(3, "globex", null, null).size() == 1);
        check("with an issued token", settings(1, "acme", "alice", token).size() == 2);
        String service = "DebtorService";
        fault("unknown debtor", service, 2009, UNAUTHORIZED, () -> settings(4711, "acme", null, null));
        fault("debtor of another domain", service, 2009, UNAUTHORIZED, () -> settings(3, "acme", null, null));
        fault("debtor, missing header", service, 1001, INVALID, () -> debtorPort.webhookSettingsGet(1, null));
    }

    /** Against a server that was started with --auth token --no-deprecated. */
    static void tokenChecks() throws Exception {
        try {
            check("--no-deprecated: GetToken", false, signOn.getToken("alice", "correct horse"));
        } catch (SOAPFaultException caught) {
            String text = caught.getFault().getFaultString();
            check("--no-deprecated: GetToken", text.endsWith("use GetToken2 instead"), text);
        }
        token = signOn.getToken2("alice", "api-token-alice");
        check("--auth token: with a token", addresses(1, header("acme", "alice", token)).size() == 3);
        refused("--auth token: Domain alone", 1001, INVALID, header("acme"), 1);
        fault("--auth token: Domain alone, debtor", "DebtorService", 1001, INVALID,
            () -> settings(1, "acme", null, null));
    }

    /** Java reads no PEM file of authorities by itself. */
    static void trust(String file) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var in = new FileInputStream(file)) {
            store.setCertificateEntry("test", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    }

    public static void main(String[] arguments) {
        address = arguments[0];
        version = arguments[1];
        Logger.getLogger("").setLevel(Level.SEVERE);
        try {
            String file = System.getenv("SSL_CERT_FILE");
            if (file != null) trust(file);
            connect();
            if (arguments[2].equals("token")) {
                tokenChecks();
            } else {
                signOnChecks();
                listChecks();
                headerChecks();
                insertChecks();
                debtorChecks();
            }
        } catch (Exception error) { // a client that gives up is a failed check, not a missing one
            check("no error of the client's own", false, error);
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }
}
