// JAX-WS with MTOM: MtomClient URL 1.1|1.2, or MtomServer
//
// The client needs not ask for it by the feature: the policy of the WSDL has it spoken as well. What is
// base64 says `MTOMFeature(false)`, and is answered so.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.annotation.Resource;
import javax.jws.WebService;
import javax.xml.ws.BindingType;
import javax.xml.ws.Endpoint;
import javax.xml.ws.Holder;
import javax.xml.ws.WebServiceContext;
import javax.xml.ws.WebServiceException;
import javax.xml.ws.handler.MessageContext;
import javax.xml.ws.soap.MTOM;
import javax.xml.ws.soap.MTOMFeature;
import javax.xml.ws.soap.SOAPBinding;
import javax.xml.ws.soap.SOAPFaultException;
import parcels.Parcel;
import parcels.Parcels;
import parcels.ParcelsSoap;
import parcels.Sizes;

class MtomClient {
    static final String TEXT = "Stra\u00dfe <&>";
    static int passed, failed;
    static String version;

    static void check(String name, boolean good, Object found) {
        if (good) passed++;
        else failed++;
        System.out.println((good ? "ok   " : "FAIL ") + "java " + version + ", MTOM: " + name
            + (good ? "" : ": " + found));
    }

    /** All bytes that there are, line ends and beginnings of boundaries among them. */
    static byte[] bytes(int size) {
        byte[] made = new byte[size];
        for (int at = 0; at != size; ++at) made[at] = (byte) (at * 7 + at / 256);
        return made;
    }

    /** Of as many bytes as parts have, and not base64; what is small may be either. */
    static boolean raw(long body) { return body < 1_100_000; }

    static void carry(String how, ParcelsSoap port, boolean inParts) {
        for (int size : new int[] {0, 10, 1_024, 1_000_000}) {
            String what = how + ", " + size + " bytes";
            Parcel back = port.carry(TEXT, bytes(size));
            check(what, TEXT.equals(back.getText()) && Arrays.equals(bytes(size), back.getContent()),
                back.getText() + ", " + (back.getContent() == null ? "none" : back.getContent().length));
        }
        for (int size : new int[] {0, 10, 1_024, 1_000_000}) {
            Holder<String> text = new Holder<>(TEXT);
            Holder<byte[]> content = new Holder<>(bytes(size));
            port.pour(text, content);
            check(how + ", " + size + " bytes, streams",
                TEXT.equals(text.value) && Arrays.equals(bytes(size), content.value), text.value);
        }
        Sizes last = port.last();
        check(how + ", sent so", raw(last.getIn().longValue()) == inParts, last.getIn());
        check(how + ", answered so", raw(last.getOut().longValue()) == inParts, last.getOut());
        try {
            port.carry("refused", bytes(1_024));
            check(how + ", a fault", false, "none");
        } catch (SOAPFaultException refused) {
            String reason = refused.getFault().getFaultString();
            check(how + ", a fault", "refused".equals(reason), reason);
        }
    }

    public static void main(String[] arguments) throws Exception {
        version = arguments[1];
        Parcels service = new Parcels(new java.net.URL(arguments[0] + "/soap/v3/Parcels.asmx?wsdl"));
        boolean old = version.equals("1.1");
        MTOMFeature spoken = new MTOMFeature();
        MTOMFeature silent = new MTOMFeature(false);
        MTOMFeature large = new MTOMFeature(2_000);
        carry("from the WSDL", old ? service.getParcelsSoap() : service.getParcelsSoap12(), true);
        carry("asked for", old ? service.getParcelsSoap(spoken) : service.getParcelsSoap12(spoken), true);
        carry("from 2,000", old ? service.getParcelsSoap(large) : service.getParcelsSoap12(large), true);
        carry("base64", old ? service.getParcelsSoap(silent) : service.getParcelsSoap12(silent), false);
        System.out.println(passed + " passed, " + failed + " failed");
    }
}

class MtomServer {
    /** Gives back what it gets, with the type of the request before the text. */
    @MTOM
    @WebService(endpointInterface = "parcels.ParcelsSoap", targetNamespace = "urn:parcels")
    public static class Soap11 implements ParcelsSoap {
        @Resource
        WebServiceContext context;

        public Parcel carry(String text, byte[] content) {
            if (text.equals("refused")) throw new WebServiceException(text);
            Parcel back = new Parcel();
            back.setText(type() + " " + text);
            back.setContent(content);
            return back;
        }
        public void pour(Holder<String> text, Holder<byte[]> content) {
            text.value = type() + " " + text.value;
        }
        public Sizes last() {
            return new Sizes();
        }
        String type() {
            Object fields = context.getMessageContext().get(MessageContext.HTTP_REQUEST_HEADERS);
            Object type = ((List<?>) ((Map<?, ?>) fields).get("Content-Type")).get(0);
            return type.toString().split(";")[0];
        }
    }

    @MTOM
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    @WebService(endpointInterface = "parcels.ParcelsSoap", targetNamespace = "urn:parcels")
    public static class Soap12 extends Soap11 {}

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        Endpoint.create(new Soap11()).publish(server.createContext("/1.1"));
        Endpoint.create(new Soap12()).publish(server.createContext("/1.2"));
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
    }
}
