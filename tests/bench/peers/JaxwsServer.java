// JAX-WS serves EmployeeService from memory: java JaxwsServer THREADS [PKCS12]. Prints its port.
//
// Around what wsimport generates from the WSDL, published on the JDK's own HTTP server with a pool of
// threads, as the manual of Endpoint has it.

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import employees.AddressType;
import employees.ArrayOfEmployeeAddress;
import employees.EmployeeAddress;
import employees.EmployeeServiceSoap;
import java.io.FileInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyStore;
import java.util.concurrent.Executors;
import javax.jws.WebService;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.xml.ws.Endpoint;

@WebService(
    endpointInterface = "employees.EmployeeServiceSoap",
    targetNamespace = "https://payroll.example.com/soap/v3/EmployeeService",
    serviceName = "EmployeeService",
    portName = "EmployeeServiceSoap")
public class JaxwsServer implements EmployeeServiceSoap {
    static final ArrayOfEmployeeAddress ADDRESSES = new ArrayOfEmployeeAddress();

    static void add(int id, boolean first, AddressType type, String... texts) {
        EmployeeAddress made = new EmployeeAddress();
        made.setId(id);
        made.setDefault(first);
        made.setStreet(texts[0]);
        made.setHouseNumber(texts[1]);
        made.setHouseNumberAddition(texts[2]);
        made.setPostalCode(texts[3]);
        made.setCity(texts[4]);
        made.setStateProvince(texts[5]);
        made.setCountryISOCode(texts[6]);
        made.setType(type);
        ADDRESSES.getEmployeeAddress().add(made);
    }

    public ArrayOfEmployeeAddress addressGetListCurrent(int employeeId) {
        return ADDRESSES;
    }

    public int addressInsertCurrent(int employeeId, EmployeeAddress address) {
        return 0;
    }

    static HttpServer makeServer(String[] arguments) throws Exception {
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (arguments.length < 2) return HttpServer.create(at, 1024);
        char[] password = "secret".toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (FileInputStream file = new FileInputStream(arguments[1])) {
            store.load(file, password);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer made = HttpsServer.create(at, 1024);
        made.setHttpsConfigurator(new HttpsConfigurator(context));
        return made;
    }

    public static void main(String[] arguments) throws Exception {
        add(1, true, AddressType.HOME_ADDRESS, "Keizersgracht", "12", "A", "1015 CJ", "Amsterdam", "Noord-Holland", "NL");
        add(2, false, AddressType.POST_ADDRESS, "Postbus", "345", null, "1000 AH", "Amsterdam", "Noord-Holland", "NL");
        add(3, false, AddressType.WORK_ADDRESS, "Königsallee", "60", "3. Etage", "40212", "Düsseldorf", "", "DE");
        HttpServer server = makeServer(arguments);
        server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(arguments[0])));
        server.start();
        Endpoint.create(new JaxwsServer()).publish(server.createContext("/soap/v3/EmployeeService.asmx"));
        System.out.println(server.getAddress().getPort());
    }
}
