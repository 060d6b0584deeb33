// WSS4J 1.6 over plain HTTP: SecuredClient URL 1.1|1.2 KEYS, and SecuredServer KEYS
//
// It writes Security blocks with tokens, or signs, and is the judge of our signed responses, with the
// checks of the Basic Security Profile on. Its signatures have a PrefixList. What it signs is written
// here: a runtime around it would add nothing that is tried. The server answers our own client, in
// secured_client.cpp: it takes tokens as Tokens, signatures as Signed, and the two in one message as
// Both, and signs what it says to a signature. What keys are made of, RSA or a curve, follows from KEYS.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.WSConstants;
import org.apache.ws.security.WSDataRef;
import org.apache.ws.security.WSEncryptionPart;
import org.apache.ws.security.WSPasswordCallback;
import org.apache.ws.security.WSSConfig;
import org.apache.ws.security.WSSecurityEngine;
import org.apache.ws.security.WSSecurityEngineResult;
import org.apache.ws.security.WSSecurityException;
import org.apache.ws.security.components.crypto.Crypto;
import org.apache.ws.security.components.crypto.Merlin;
import org.apache.ws.security.message.WSSecHeader;
import org.apache.ws.security.message.WSSecSignature;
import org.apache.ws.security.message.WSSecTimestamp;
import org.apache.ws.security.message.WSSecUsernameToken;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class SecuredClient {
    static final String USER = "alice", WORD = "secret & <word>";
    static final String MORE = "http://www.w3.org/2001/04/xmldsig-more#";
    static final String XMLDSIG = "http://www.w3.org/2000/09/xmldsig#";
    static final String XENC = "http://www.w3.org/2001/04/xmlenc#";
    static int passed, failed;
    static String url, version, keys, soap, kind;

    static void check(String name, boolean good, Object found) {
        if (good) passed++;
        else failed++;
        System.out.println((good ? "ok   " : "FAIL ") + "java " + version + kind + ", security: " + name
            + (good ? "" : ": " + found));
    }

    /** A message that is changed before it is sent. */
    interface Change {
        void to(Document message, WSSecHeader security) throws Exception;
    }

    // --- Messages -------------------------------------------------------------------------------

    static Document parse(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    static String write(Document message) throws Exception {
        Transformer writer = TransformerFactory.newInstance().newTransformer();
        writer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        StringWriter text = new StringWriter();
        writer.transform(new DOMSource(message), new StreamResult(text));
        return text.toString();
    }

    /** The response to an operation of a service, whose Security block the change fills. */
    static Document call(String service, String body, Change change) throws Exception {
        Document message = parse("<s:Envelope xmlns:s='" + soap + "'><s:Header/><s:Body>" + body
            + "</s:Body></s:Envelope>");
        WSSecHeader security = new WSSecHeader();
        security.insertSecurityHeader(message);
        change.to(message, security);
        HttpURLConnection http = (HttpURLConnection)
            new URL(url + "/soap/v3/" + service + ".asmx").openConnection();
        http.setDoOutput(true);
        http.setRequestProperty("Content-Type",
            (version.equals("1.1") ? "text/xml" : "application/soap+xml") + "; charset=utf-8");
        http.getOutputStream().write(write(message).getBytes(StandardCharsets.UTF_8));
        InputStream response =
            http.getResponseCode() == 200 ? http.getInputStream() : http.getErrorStream();
        return parse(new String(response.readAllBytes(), StandardCharsets.UTF_8));
    }

    static String text(Document response, String... names) {
        for (String name : names) {
            NodeList found = response.getElementsByTagNameNS("*", name);
            if (found.getLength() == 0) found = response.getElementsByTagName(name);
            if (found.getLength() != 0)
                return found.item(found.getLength() - 1).getTextContent();
        }
        return "(absent)";
    }

    /** A result, or the fault's code, which is the last Value of SOAP 1.2, and text. */
    static String told(Document response) {
        String result = text(response, "WhoResult", "SayResult");
        if (!result.equals("(absent)")) return result;
        return text(response, "faultcode", "Value") + ": " + text(response, "faultstring", "Text");
    }

    static String who(String service, Change change) throws Exception {
        return told(call(service, "<Who xmlns='urn:guarded:" + service.toLowerCase() + "'/>", change));
    }

    static void refused(String name, String service, Change change, String code) throws Exception {
        String got = who(service, change);
        check(name, got.startsWith(code + ": "), got);
    }

    static void stamp(Document message, WSSecHeader security) {
        new WSSecTimestamp().build(message, security);
    }

    // --- UsernameToken --------------------------------------------------------------------------

    static void token(String type, String user, String word, Document message, WSSecHeader security) {
        WSSecUsernameToken token = new WSSecUsernameToken();
        token.setPasswordType(type);
        token.setUserInfo(user, word);
        token.build(message, security);
    }

    static Change withToken(String type, String user, String word) {
        return (message, security) -> {
            stamp(message, security);
            token(type, user, word, message, security);
        };
    }

    static void tokens() throws Exception {
        for (String type : new String[] {WSConstants.PASSWORD_TEXT, WSConstants.PASSWORD_DIGEST}) {
            String form = type.substring(type.indexOf('#') + 1);
            String got = who("Tokens", withToken(type, USER, WORD));
            check(form + ": served", got.equals(USER), got);
            refused(form + ": another password", "Tokens", withToken(type, USER, "wrong"),
                "wsse:FailedAuthentication");
            refused(form + ": another user", "Tokens", withToken(type, "bob", WORD),
                "wsse:FailedAuthentication");
            refused(form + ": no Timestamp", "Tokens",
                (message, security) -> token(type, USER, WORD, message, security),
                "wsse:InvalidSecurity");
        }
        refused("no token", "Tokens", SecuredClient::stamp, "wsse:InvalidSecurity");
    }

    // --- X.509 ----------------------------------------------------------------------------------

    static Certificate certificate(String name) throws Exception {
        try (InputStream in = Files.newInputStream(Path.of(keys, name + ".pem"))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    static PrivateKey key(String name) throws Exception {
        String text = Files.readString(Path.of(keys, name + ".key"));
        byte[] der = Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
        String kind = certificate(name).getPublicKey().getAlgorithm();
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    /** The name of a signature's algorithm, for the keys that there are. */
    static String by(String hash) throws Exception {
        boolean curve = certificate("caller").getPublicKey().getAlgorithm().equals("EC");
        boolean first = !curve && hash.equals("sha1"); // has a name of the first specification
        return (first ? XMLDSIG : MORE) + (curve ? "ecdsa-" : "rsa-") + hash;
    }

    static Crypto signingAs(String name, String certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", key(name), "x".toCharArray(),
            new Certificate[] {certificate(certificate)});
        Merlin crypto = new Merlin();
        crypto.setKeyStore(store);
        return crypto;
    }

    /** How a message is signed; what it does not say is as it is served. */
    static class Signing implements Change {
        String name = "caller", certificate;
        int token = WSConstants.BST_DIRECT_REFERENCE;
        String hash = "sha256", digest = XENC + "sha256";
        boolean stamped = true;
        List<WSEncryptionPart> parts = new ArrayList<>(List.of(
            new WSEncryptionPart("Body", soap, "Content"),
            new WSEncryptionPart("Timestamp", WSConstants.WSU_NS, "")));

        Signing by(String who) { name = who; return this; }
        Signing certificate(String whose) { certificate = whose; return this; }
        Signing token(int kind) { token = kind; return this; }
        Signing algorithms(String made, String of) { hash = made; digest = of; return this; }
        Signing without(int part) { parts.remove(part); return this; }
        Signing withoutTimestamp() { stamped = false; return without(1); }
        Signing with(WSEncryptionPart part) { parts.add(part); return this; }

        public void to(Document message, WSSecHeader security) throws Exception {
            if (stamped) stamp(message, security);
            WSSecSignature signature = new WSSecSignature();
            signature.setUserInfo("own", "x");
            signature.setKeyIdentifierType(token);
            signature.setSignatureAlgorithm(SecuredClient.by(hash));
            signature.setDigestAlgo(digest);
            signature.setParts(parts);
            Crypto crypto = signingAs(name, certificate == null ? name : certificate);
            signature.build(message, crypto, security);
        }
    }

    static Crypto trusting(String authority) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", certificate(authority));
        Merlin crypto = new Merlin();
        crypto.setTrustStore(trusted);
        return crypto;
    }

    /** What WSS4J finds in a message, by the Basic Security Profile. */
    static List<WSSecurityEngineResult> process(
            Document message, CallbackHandler passwords, Crypto crypto) throws Exception {
        WSSConfig config = WSSConfig.getNewInstance();
        config.setWsiBSPCompliant(true);
        WSSecurityEngine engine = new WSSecurityEngine();
        engine.setWssConfig(config);
        List<WSSecurityEngineResult> found =
            engine.processSecurityHeader(message, null, passwords, crypto);
        if (found == null) throw new WSSecurityException("no Security block");
        return found;
    }

    /** The names of the elements that are signed. */
    static String signedIn(List<WSSecurityEngineResult> found) {
        TreeSet<String> names = new TreeSet<>();
        for (WSSecurityEngineResult each : found) {
            Object refs = each.get(WSSecurityEngineResult.TAG_DATA_REF_URIS);
            if (refs == null) continue;
            for (Object ref : (List<?>) refs)
                names.add(((WSDataRef) ref).getName().getLocalPart());
        }
        return String.join(" ", names);
    }

    /** The same for a response; or why it is refused. */
    static String judged(Document response, String authority) throws Exception {
        try {
            return signedIn(process(response, null, trusting(authority)));
        } catch (WSSecurityException refused) {
            return "refused: " + refused.getMessage();
        }
    }

    static void signatures() throws Exception {
        String words = "caf\u00e9 & <b> ]]>\u65e5";
        String say = "<Say xmlns='urn:guarded:signed'><Text>"
            + words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            + "</Text></Say>";
        Document response = call("Signed", say, new Signing());
        check("a call", told(response).equals(words), told(response));
        String found = judged(response, "authority");
        check("the response's signature holds", found.equals("Body Timestamp"), found);
        found = judged(response, "stranger");
        check("for a client that trusts its authority", found.startsWith("refused: "), found);
        Element result = (Element) response.getElementsByTagNameNS("*", "SayResult").item(0);
        result.setTextContent(words + "!");
        found = judged(response, "authority");
        check("and for what was signed alone", found.startsWith("refused: "), found);
        String fail = "<Fail xmlns='urn:guarded:signed'><Text>no</Text></Fail>";
        response = call("Signed", fail, new Signing());
        check("a fault of the method", told(response).endsWith(": no"), told(response));
        found = judged(response, "authority");
        check("the fault's signature holds", found.equals("Body Timestamp"), found);
        response = call("Signed", say, SecuredClient::stamp);
        found = judged(response, "authority");
        check("that of a refusal, too", found.equals("Body Timestamp"), told(response) + found);
    }

    /** The ways in which it says whose the signature is. */
    static void identifiers() throws Exception {
        Map<String, Integer> whole = new LinkedHashMap<>(), named = new LinkedHashMap<>();
        whole.put("BinarySecurityToken", WSConstants.BST_DIRECT_REFERENCE);
        whole.put("a certificate as KeyIdentifier", WSConstants.X509_KEY_IDENTIFIER);
        named.put("issuer and serial number", WSConstants.ISSUER_SERIAL);
        named.put("key identifier", WSConstants.SKI_KEY_IDENTIFIER);
        named.put("thumbprint", WSConstants.THUMBPRINT_IDENTIFIER);
        for (Map.Entry<String, Integer> each : whole.entrySet()) {
            String got = who("Signed", new Signing().token(each.getValue()));
            check(each.getKey() + ": served", got.equals("CN=caller"), got);
        }
        for (Map.Entry<String, Integer> each : named.entrySet()) {
            String got = who("Signed", new Signing().by("pinned").token(each.getValue()));
            check(each.getKey() + ": served", got.equals("CN=pinned"), got);
            refused(each.getKey() + " of a certificate that is not pinned", "Signed",
                new Signing().token(each.getValue()), "wsse:SecurityTokenUnavailable");
        }
    }

    // --- Both -----------------------------------------------------------------------------------

    static final WSEncryptionPart TOKEN =
        new WSEncryptionPart("UsernameToken", WSConstants.WSSE_NS, "");

    static Change withBoth(String type, String word, Signing signing) {
        return (message, security) -> {
            token(type, USER, word, message, security);
            signing.to(message, security);
        };
    }

    static void both() throws Exception {
        for (String type : new String[] {WSConstants.PASSWORD_TEXT, WSConstants.PASSWORD_DIGEST}) {
            String form = type.substring(type.indexOf('#') + 1) + " and a signature";
            Document response = call("Both", "<Who xmlns='urn:guarded:both'/>",
                withBoth(type, WORD, new Signing().with(TOKEN)));
            check(form + ": served", told(response).equals(USER + " by CN=caller"), told(response));
            String found = judged(response, "authority");
            check(form + ": the response's holds", found.equals("Body Timestamp"), found);
            refused(form + ": another password", "Both",
                withBoth(type, "wrong", new Signing().with(TOKEN)), "wsse:FailedAuthentication");
            refused(form + ": a stranger", "Both",
                withBoth(type, WORD, new Signing().by("stranger").with(TOKEN)),
                "wsse:InvalidSecurityToken");
            refused(form + ", which does not cover the token", "Both",
                withBoth(type, WORD, new Signing()), "wsse:InvalidSecurity");
            refused(form + ", which is not there", "Both", withToken(type, USER, WORD),
                "wsse:InvalidSecurity");
        }
        refused("a signature and no token", "Both", new Signing(), "wsse:InvalidSecurity");
    }

    static void refusals() throws Exception {
        String got = who("Signed", new Signing().algorithms("sha512", XENC + "sha512"));
        check("by SHA-512: served", got.equals("CN=caller"), got);
        refused("signed by SHA-1", "Signed",
            new Signing().algorithms("sha1", XENC + "sha256"), "wsse:UnsupportedAlgorithm");
        refused("digests by SHA-1", "Signed",
            new Signing().algorithms("sha256", WSConstants.SHA1), "wsse:UnsupportedAlgorithm");
        refused("a stranger", "Signed", new Signing().by("stranger"), "wsse:InvalidSecurityToken");
        refused("another's certificate", "Signed", new Signing().certificate("pinned"),
            "wsse:FailedCheck");
        refused("Body not signed", "Signed", new Signing().without(0), "wsse:InvalidSecurity");
        refused("Timestamp not signed", "Signed", new Signing().without(1), "wsse:InvalidSecurity");
        refused("no Timestamp", "Signed", new Signing().withoutTimestamp(), "wsse:InvalidSecurity");
        refused("no signature", "Signed", SecuredClient::stamp, "wsse:InvalidSecurity");
        // The certificate of the reference, not the reference: what the transform makes stands nowhere in
        // the message, so that it is none of those that are served.
        refused("a reference signed by what it means", "Signed",
            new Signing().with(new WSEncryptionPart("STRTransform", null, "")),
            "wsse:UnsupportedAlgorithm");
    }

    public static void main(String[] arguments) throws Exception {
        url = arguments[0];
        version = arguments[1];
        keys = arguments[2];
        kind = by("sha256").contains("ecdsa") ? ", ECDSA" : "";
        soap = version.equals("1.1") ? WSConstants.URI_SOAP11_ENV : WSConstants.URI_SOAP12_ENV;
        tokens();
        signatures();
        identifiers();
        refusals();
        both();
        System.out.println(passed + " passed, " + failed + " failed");
    }
}

class SecuredServer {
    static void passwords(Callback[] asked) {
        for (Callback each : asked) {
            WSPasswordCallback who = (WSPasswordCallback) each;
            if (SecuredClient.USER.equals(who.getIdentifier())) who.setPassword(SecuredClient.WORD);
        }
    }

    /** The sender of a message, and the whole message, to one of `tokens`, `signed` and `both`. */
    static String caller(Document message, String service) throws Exception {
        boolean named = !service.equals("signed"), signed = !service.equals("tokens");
        List<WSSecurityEngineResult> found = SecuredClient.process(
            message, SecuredServer::passwords, SecuredClient.trusting("authority"));
        String covered = SecuredClient.signedIn(found);
        if (!covered.equals(!signed ? "" : named ? "Body Timestamp UsernameToken" : "Body Timestamp"))
            throw new WSSecurityException("only this is signed: " + covered);
        String user = null, signer = null;
        boolean stamped = false;
        for (WSSecurityEngineResult each : found) {
            stamped |= each.get(WSSecurityEngineResult.TAG_TIMESTAMP) != null;
            Object certificate = each.get(WSSecurityEngineResult.TAG_X509_CERTIFICATE);
            if (certificate != null)
                signer = ((X509Certificate) certificate).getSubjectX500Principal().getName();
            if (each.get(WSSecurityEngineResult.TAG_USERNAME_TOKEN) != null)
                user = ((java.security.Principal) each.get(WSSecurityEngineResult.TAG_PRINCIPAL))
                    .getName();
        }
        if (!stamped || (named && user == null) || (signed && signer == null))
            throw new WSSecurityException("token, signature or Timestamp is missing");
        return !signed ? user : !named ? signer : user + " by " + signer;
    }

    static Document response(Document request, String service) throws Exception {
        Document response = SecuredClient.parse("<s:Envelope xmlns:s='" + SecuredClient.soap
            + "'><s:Header/><s:Body><WhoResponse xmlns='urn:guarded:" + service + "'>\n <WhoResult>"
            + caller(request, service) + "</WhoResult>\n</WhoResponse></s:Body></s:Envelope>");
        WSSecHeader security = new WSSecHeader();
        security.insertSecurityHeader(response);
        if (service.equals("tokens"))
            SecuredClient.stamp(response, security);
        else
            new SecuredClient.Signing().by("service").to(response, security);
        return response;
    }

    static String fault(String reason) {
        String code = "xmlns:o='" + WSConstants.WSSE_NS + "'>o:FailedAuthentication<";
        String soap = SecuredClient.soap;
        return "<s:Envelope xmlns:s='" + soap + "'><s:Body><s:Fault>"
            + (soap.equals(WSConstants.URI_SOAP11_ENV)
                ? "<faultcode " + code + "/faultcode><faultstring>" + reason + "</faultstring>"
                : "<s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value " + code
                    + "/s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang='en'>" + reason
                    + "</s:Text></s:Reason>")
            + "</s:Fault></s:Body></s:Envelope>";
    }

    static void answer(HttpExchange http) {
        try (http) {
            Document request = SecuredClient.parse(
                new String(http.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            SecuredClient.soap = request.getDocumentElement().getNamespaceURI();
            int status = 200;
            String said;
            try {
                String service = http.getRequestURI().getPath().substring(1).toLowerCase();
                said = SecuredClient.write(response(request, service));
            } catch (WSSecurityException refused) {
                status = 500;
                said = fault(refused.getMessage());
            }
            boolean old = SecuredClient.soap.equals(WSConstants.URI_SOAP11_ENV);
            http.getResponseHeaders().set("Content-Type",
                (old ? "text/xml" : "application/soap+xml") + "; charset=utf-8");
            byte[] bytes = said.getBytes(StandardCharsets.UTF_8);
            http.sendResponseHeaders(status, bytes.length);
            http.getResponseBody().write(bytes);
        } catch (Exception wrong) {
            wrong.printStackTrace();
        }
    }

    public static void main(String[] arguments) throws Exception {
        SecuredClient.keys = arguments[0];
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", SecuredServer::answer);
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
    }
}
