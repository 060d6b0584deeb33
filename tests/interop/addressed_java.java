// JAX-WS with WS-Addressing: AddressedClient URL 1.1|1.2
//
// What it knows of it is from the WSDLs alone, but for Taken, which need not be spoken to so: there
// the feature is asked for. Its runtime checks Action and RelatesTo of responses by itself, and sends
// mustUnderstand with some of its header blocks.
import java.util.UUID;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.WebServiceException;
import javax.xml.ws.soap.AddressingFeature;
import javax.xml.ws.soap.SOAPFaultException;

class AddressedClient {
    static int passed, failed;
    static String version;

    static void check(String name, boolean good, Object found) {
        if (good) passed++;
        else failed++;
        System.out.println((good ? "ok   " : "FAIL ") + "java " + version + ", addressing: " + name
            + (good ? "" : ": " + found));
    }

    static void taken(String url) throws Exception {
        taken.Taken service = new taken.Taken(new java.net.URL(url + "/soap/v3/Taken.asmx?wsdl"));
        AddressingFeature spoken = new AddressingFeature(true, true);
        taken.TakenSoap port = version.equals("1.1")
            ? service.getTakenSoap(spoken) : service.getTakenSoap12(spoken);
        check("Taken: a call", "hello".equals(port.say("hello")), "");
        String told = port.told();
        check("Taken: it is spoken", told.contains("Action") && told.contains("ReplyTo"), told);
        port.tell("x");
        check("Taken: one way", true, "");
        try {
            port.fail("no");
            check("Taken: a fault", false, "none");
        } catch (taken.RefusalFault refused) {
            check("Taken: a fault", refused.getFaultInfo().getCode() == 7, refused);
        }
        taken.TakenSoap silent = version.equals("1.1")
            ? service.getTakenSoap(new AddressingFeature(false))
            : service.getTakenSoap12(new AddressingFeature(false));
        check("Taken: without it", "".equals(silent.told()), silent.told());
    }

    static void demanded(String url) throws Exception {
        demanded.Demanded service =
            new demanded.Demanded(new java.net.URL(url + "/soap/v3/Demanded.asmx?wsdl"));
        demanded.DemandedSoap port = version.equals("1.1")
            ? service.getDemandedSoap() : service.getDemandedSoap12();
        check("Demanded: a call, from the WSDL alone", "hello".equals(port.say("hello")), "");
        String told = port.told();
        check("Demanded: it is spoken", told.contains("Action") && told.contains("ReplyTo"), told);
        try {
            port.fail("no");
            check("Demanded: a fault", false, "none");
        } catch (demanded.RefusalFault refused) {
            check("Demanded: a fault", refused.getFaultInfo().getCode() == 7, refused);
        }
        demanded.DemandedSoap silent = version.equals("1.1")
            ? service.getDemandedSoap(new AddressingFeature(false))
            : service.getDemandedSoap12(new AddressingFeature(false));
        try {
            silent.say("x");
            check("Demanded: refused without", false, "it was taken");
        } catch (WebServiceException refused) {
            check("Demanded: refused without", refused.getMessage().contains("Action"), refused);
        }
    }

    public static void main(String[] arguments) throws Exception {
        version = arguments[1];
        taken(arguments[0]);
        demanded(arguments[0]);
        System.out.println(passed + " passed, " + failed + " failed");
    }
}
