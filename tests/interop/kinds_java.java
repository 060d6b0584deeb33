// JAX-WS against the service of all kinds: java KindsClient URL 1.1|1.2
//
// Around what wsimport generates from the WSDLs. Sends the value of each feature in features.md, as
// objects of the generated classes, and compares what comes back: both are written as XML, since such
// classes do not compare.

import example.kinds.kinds.*;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.xml.bind.JAXBContext;
import javax.xml.bind.JAXBElement;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.Dispatch;
import javax.xml.ws.Holder;
import javax.xml.ws.Service;
import kinds.calls.CallsSoap;
import kinds.calls.Login;
import kinds.calls.ProblemFault;
import kinds.calls.Receipt;
import kinds.calls.Values;
import kinds.calls.ValuesResponse;
import kinds.geo.Cat;
import kinds.geo.OpenElsewhere;
import kinds.geo.Point;
import kinds.mirrors.MirrorsSoap;
import kinds.rows.RowsSoap;
import kinds.sums.SumsSoap;
import kinds.units.Unit;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;
import trace.Trace;

class KindsClient {
    /** Answers what is wrong, or null. */
    interface Step {
        String run() throws Exception;
    }

    static String base, version;
    static JAXBContext classes;
    static final Map<String, Dispatch<Object>> dispatches = new HashMap<>();
    static final ObjectFactory make = new ObjectFactory();

    static void feature(String name, Step step) {
        String wrong;
        try {
            wrong = step.run();
        } catch (Throwable error) {
            wrong = error.toString();
        }
        String told = wrong == null ? "ok   java " + version + ": " + name
            : "FAIL java " + version + ": " + name + ": " + wrong.replaceAll("\\s+", " ");
        System.out.println(told);
    }

    static String same(String sent, String found) {
        return sent.equals(found) ? null : "sent " + sent + ", got " + found;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static String shown(Object value) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        Document document = factory.newDocumentBuilder().newDocument();
        classes.createMarshaller().marshal(new JAXBElement(new QName("value"), value.getClass(), value), document);
        return shown(document.getDocumentElement());
    }

    /** Without prefixes, which may differ. */
    static String shown(Node node) {
        if (node.getNodeType() == Node.TEXT_NODE) return resolved(node.getParentNode(), node.getNodeValue());
        Set<String> attributes = new TreeSet<>();
        NamedNodeMap all = node.getAttributes();
        for (int at = 0; at < all.getLength(); ++at) {
            Node each = all.item(at);
            if ("http://www.w3.org/2000/xmlns/".equals(each.getNamespaceURI())) continue;
            attributes.add(name(each) + "=" + resolved(node, each.getNodeValue()));
        }
        StringBuilder children = new StringBuilder();
        for (Node each = node.getFirstChild(); each != null; each = each.getNextSibling()) children.append(shown(each));
        return "<" + name(node) + attributes + ">" + children + "</>";
    }

    static String name(Node node) {
        return node.getNamespaceURI() == null ? node.getLocalName() : "{" + node.getNamespaceURI() + "}" + node.getLocalName();
    }

    /** A qualified name by what its prefix is declared as, any other text as it is. */
    static String resolved(Node where, String text) {
        String[] parts = text.split(":");
        String uri = parts.length == 2 ? where.lookupNamespaceURI(parts[0]) : null;
        return uri == null ? text : "{" + uri + "}" + parts[1];
    }

    // --- Services --------------------------------------------------------------------------------

    static Service service(String name, String ns) throws Exception {
        return Service.create(new URL(base + "/soap/v3/" + name + ".asmx?wsdl"), new QName(ns, name));
    }

    static QName port(String name, String ns) {
        return new QName(ns, name + (version.equals("1.1") ? "Soap" : "Soap12"));
    }

    static <T> T proxy(String name, String ns, Class<T> type) throws Exception {
        return service(name, ns).getPort(port(name, ns), type);
    }

    /** By the element and its class, which say more than a method with a parameter for each child. */
    static Object call(String name, String ns, String operation, Object request) throws Exception {
        Dispatch<Object> dispatch = dispatches.get(name);
        if (dispatch == null) {
            dispatch = service(name, ns).createDispatch(port(name, ns), classes, Service.Mode.PAYLOAD);
            dispatches.put(name, dispatch);
        }
        dispatch.getRequestContext().put(BindingProvider.SOAPACTION_USE_PROPERTY, true);
        dispatch.getRequestContext().put(BindingProvider.SOAPACTION_URI_PROPERTY, ns + "/" + operation);
        return dispatch.invoke(request);
    }

    static Everything2 everything(Everything sent) throws Exception {
        String ns = "http://kinds.example/Kinds";
        return ((EverythingResponse) call("Kinds", ns, "Everything", sent)).getEverythingResult();
    }

    static void echo(String name, Consumer<Everything> fill) {
        feature(name, () -> {
            Everything sent = new Everything();
            fill.accept(sent);
            Everything2 found = everything(sent);
            for (Length length : found.getLength()) {
                if (sent.getLength().get(0).getSystem().equals("imperial")) continue;
                if (!shown(length).contains("system=SI")) return "system is not SI";
                length.setSystem(null);  // which was not sent
            }
            return same(shown(sent), shown(found));
        });
    }

    // --- Values ----------------------------------------------------------------------------------

    static Length length(double value, Unit unit) {
        Length made = new Length();
        made.setValue(value);
        made.setUnit(unit);
        made.setVersion("1.0");
        return made;
    }

    static Price price(String amount, String currency) {
        Price made = new Price();
        made.setValue(new BigDecimal(amount));
        made.setCurrency(currency);
        return made;
    }

    static Point point(double x, double y) {
        Point made = new Point();
        made.setX(x);
        made.setY(y);
        return made;
    }

    static Plain plain(String a, Integer... b) {
        Plain made = new Plain();
        made.setA(a);
        made.getB().addAll(Arrays.asList(b));
        return made;
    }

    static Author author(String name, Book... books) {
        Author made = new Author();
        made.setName(name);
        made.getBook().addAll(Arrays.asList(books));
        return made;
    }

    static Book book(String title, Author author, Book sequel) {
        Book made = new Book();
        made.setTitle(title);
        made.setAuthor(author);
        made.setSequel(sequel);
        return made;
    }

    static Grouped grouped() {
        Grouped made = new Grouped();
        made.setName("n");
        made.setId(1);
        made.setLast("z");
        return made;
    }

    static <T extends Dog> T dog(T made, String name, int id, boolean barks) {
        made.setName(name);
        made.setId(id);
        made.setBarks(barks);
        return made;
    }

    static Cat cat(String name, int id) {
        Cat made = new Cat();
        made.setName(name);
        made.setId(id);
        made.setLives(7);
        made.setColour("grey");
        return made;
    }

    static Lists lists() {
        Lists made = new Lists();
        made.getNumbers().addAll(Arrays.asList(1, -2, 3));
        made.getMany().add(make.createListsMany(Arrays.asList(0.5, 1.5)));
        made.getMany().add(make.createListsMany(Arrays.asList(2.0)));
        made.getWords().addAll(Arrays.asList("a", "b"));
        return made;
    }

    static QualifiedNames names() {
        QualifiedNames made = new QualifiedNames();
        made.setElement(new QName("urn:q", "a"));
        made.getMany().addAll(Arrays.asList(new QName("urn:q", "b"), new QName("urn:r", "c")));
        return made;
    }

    static XsTypes xs() {
        XsTypes made = new XsTypes();
        made.setNormalizedString("a  b");
        made.setToken("a b");
        made.setLanguage("pt-BR");
        made.setName("a:b");
        made.setNCName("_1.2-3");
        made.setNMTOKEN("-a:b.c");
        made.setId("id-1");
        made.setIDREF(made);  // a reference is the object that it refers to
        made.setAnyURI("http://example.com/a?b#c");
        made.setAttribute("a b");
        return made;
    }

    static void numbers(XsTypes made, String integer, String natural, int positive, int least, String negative) {
        made.setInteger(new BigInteger(integer));
        made.setNonNegative(new BigInteger(natural));
        made.setPositive(BigInteger.valueOf(positive));
        made.setNonPositive(BigInteger.valueOf(least));
        made.setNegative(new BigInteger(negative));
    }

    static Element element(String text) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text))).getDocumentElement();
        } catch (Exception error) {
            throw new IllegalArgumentException(error);
        }
    }

    static XMLGregorianCalendar calendar(String text) throws Exception {
        return DatatypeFactory.newInstance().newXMLGregorianCalendar(text);
    }

    // --- Features --------------------------------------------------------------------------------

    static void names_and_attributes() {
        echo("attribute", sent -> {
            sent.getLength().add(length(1.5, Unit.M));
            sent.getLength().get(0).setDigits(2);
        });
        echo("attribute of another namespace", sent -> {
            sent.getLength().add(length(2.5, Unit.M));
            sent.getLength().get(0).setSource("Zoë & <Ada>");
        });
        echo("enumeration", sent -> sent.getLength().add(length(3.5, Unit.FT)));
        echo("default and fixed", sent -> {
            sent.getLength().add(length(4.5, Unit.M));
            sent.getLength().get(0).setSystem("imperial");
        });
        echo("text with attributes", sent -> sent.getPrice()
            .addAll(Arrays.asList(price("10.50", "EUR"), price("-1", "\"Zoë\" & <Ada>"))));
        echo("type of another namespace", sent -> sent.getPoint().add(point(1.5, -2)));
        echo("unqualified element", sent -> {
            sent.getPoint().add(point(1, 2));
            sent.getPoint().get(0).setNote("Zoë");
        });
        echo("element of a third namespace", sent -> {
            sent.getPoint().add(point(3, 4));
            sent.getPoint().get(0).setComment("Zoë");
        });
        echo("two types of one name", sent -> {
            kinds.geo.Price other = new kinds.geo.Price();
            other.setCents(100);
            sent.getPrice().add(price("1", "EUR"));
            sent.getOtherPrice().add(other);
        });
        echo("unqualified record", sent -> sent.getPlain().add(plain("a", 1, 2)));
    }

    static void structures() {
        echo("occurrence", sent -> {
            Counted counted = new Counted();
            counted.getTwoToFive().addAll(Arrays.asList((short) 1, (short) 2, (short) 3));
            counted.getSome().addAll(Arrays.asList("a", ""));
            sent.getCounted().add(counted);
        });
        echo("nillable", sent -> {
            Nils empty = new Nils(), full = new Nils();
            empty.setMayBeThere(make.createNilsMayBeThere(null));
            full.setMustBeThere("there");
            full.setMayBeThere(make.createNilsMayBeThere(5));
            sent.getNils().addAll(Arrays.asList(empty, full));
        });
        echo("nillable record", sent -> {
            Nils nils = new Nils();
            nils.setMustBeThere("there");
            nils.getMany().addAll(Arrays.asList(plain("a"), null));
            sent.getNils().add(nils);
        });
        Book one = book("One", author("Bob"), book("Two", null, null));
        echo("recursion", sent -> sent.setAuthor(author("Ann", one)));
        echo("choice", sent -> {
            Person ann = new Person(), bob = new Person(), cy = new Person();
            ann.setName("Ann");
            ann.setPhone("1");
            bob.setName("Bob");
            bob.setMail("b@c");
            cy.setName("Cy");
            cy.getAlias().addAll(Arrays.asList("c", "d"));
            sent.getPerson().addAll(Arrays.asList(ann, bob, cy));
        });
        echo("repeated choice", sent -> {
            Walk walk = new Walk();
            walk.getLeftOrRightOrPay().addAll(Arrays.asList(
                make.createWalkLeft(1), make.createWalkRight(2), make.createWalkLeft(3)));
            sent.getWalk().add(walk);
        });
        echo("choice of groups", sent -> {
            Payment card = new Payment(), transfer = new Payment(), none = new Payment();
            card.setNumber("4111");
            card.setCode(7);
            card.setAmount(BigDecimal.valueOf(1));
            transfer.setAccount("DE1");
            transfer.setBank("bank");
            transfer.setAmount(BigDecimal.valueOf(2));
            none.setAmount(BigDecimal.valueOf(3));
            sent.getPayment().addAll(Arrays.asList(card, transfer, none));
        });
        echo("optional group", sent -> {
            Grouped ranged = grouped();
            ranged.setFrom(1);
            ranged.setTo(2);
            sent.getGrouped().addAll(Arrays.asList(ranged, grouped()));
        });
        echo("repeated group", sent -> {
            Grouped paired = grouped();
            paired.getKeyAndValue().addAll(Arrays.asList(
                make.createGroupedKey("a"), make.createGroupedValue("b"), make.createGroupedKey("c"),
                make.createGroupedKey("d"), make.createGroupedValue("e")));
            sent.getGrouped().add(paired);
        });
    }

    static void derived() {
        echo("extension", sent -> {
            sent.getDog().add(dog(new Dog(), "Rex", 1, true));
            sent.getPuppy().add(dog(new Puppy(), "Bo", 2, false));
        });
        echo("derived type", sent -> {
            Zoo zoo = new Zoo();
            zoo.setDirector(dog(new Dog(), "Rex", 1, true));
            zoo.setStar(cat("Tom", 2));
            zoo.getAnimal().addAll(Arrays.asList(dog(new Puppy(), "Bo", 3, false), cat("Kit", 4)));
            sent.getZoo().add(zoo);
        });
        echo("derived type in another namespace", sent -> {
            Shape shape = new Shape();
            shape.setLabel("plain");
            Circle circle = new Circle();
            circle.setLabel("round");
            circle.setRadius(1.5);
            Zoo zoo = new Zoo();
            zoo.setDirector(dog(new Dog(), "Rex", 9, false));
            zoo.getShape().addAll(Arrays.asList(shape, circle));
            sent.getZoo().add(zoo);
        });
    }

    static void wildcards() {
        Element note = element("<a xmlns='urn:notes'>one</a>"), more = element("<b xmlns='urn:more'>two</b>");
        echo("any", sent -> {
            Open open = new Open();
            open.setKnown("k");
            open.getAny().addAll(Arrays.asList(note, more));
            sent.getOpen().add(open);
        });
        echo("anyAttribute", sent -> {
            Open open = new Open();
            open.setKnown("k");
            open.getOtherAttributes().put(new QName("urn:others", "a"), "v");
            open.getOtherAttributes().put(new QName("own"), "w");
            sent.getOpen().add(open);
        });
        echo("any in another namespace", sent -> {
            OpenElsewhere open = new OpenElsewhere();
            open.setAny(note);
            open.getOtherAttributes().put(new QName("urn:kinds:geo", "a"), "1");
            sent.getOpenElsewhere().add(open);
        });
        echo("any in a repeated group", sent -> {
            OpenGroups open = new OpenGroups();
            open.getAny().addAll(Arrays.asList(note, more));
            open.setLast("z");
            sent.getOpenGroups().add(open);
        });
        echo("anyAttribute beside text", sent -> {
            OpenText open = new OpenText();
            open.setValue("Zoë");
            open.getOtherAttributes().put(new QName("urn:others", "a"), "v");
            sent.getOpenText().add(open);
        });
        echo("anyType", sent -> {
            Anything anything = new Anything();
            anything.setValue("Zoë");
            anything.getMany().addAll(Arrays.asList("one", "two"));
            sent.getAnything().add(anything);
        });
    }

    static void simple_types() {
        echo("list", sent -> {
            sent.getLists().add(lists());
            sent.getLists().get(0).getMixed();
        });
        echo("list of an enumeration", sent -> {
            sent.getLists().add(lists());
            sent.getLists().get(0).getMixed();
            sent.getLists().get(0).getUnits().addAll(Arrays.asList(Unit.M, Unit.FT));
        });
        echo("list of a union", sent -> {
            sent.getLists().add(lists());
            sent.getLists().get(0).getMixed().addAll(Arrays.asList("-7", "2020-01-02"));
        });
        echo("union", sent -> {
            for (String value : Arrays.asList("7", "2020-01-02", "ft", "Zoë")) {
                Unions union = new Unions();
                union.setValue(value);
                sent.getUnions().add(union);
            }
            sent.getUnions().get(0).getMany().addAll(Arrays.asList("true", "1.5"));
        });
        echo("union in an attribute", sent -> {
            Unions union = new Unions();
            union.setValue("8");
            union.getAttribute().addAll(Arrays.asList("1", "2"));
            sent.getUnions().add(union);
        });
        echo("QName", sent -> sent.getQualifiedNames().add(names()));
        echo("QName in an attribute", sent -> {
            sent.getQualifiedNames().add(names());
            sent.getQualifiedNames().get(0).setAttribute(new QName("urn:q", "d"));
        });
        feature("facets", () -> {
            Everything sent = new Everything();
            sent.getFacets().add(facets());
            return same(shown(sent), shown(everything(sent)));
        });
        echo("named simple types", sent -> {
            NamedTypes named = new NamedTypes();
            named.setCode("1234");
            named.getCodes().addAll(Arrays.asList("0001", "9999"));
            named.setLowCode("0123");
            named.setShare(0.5);
            named.getFew().addAll(Arrays.asList((short) 1, (short) 2));
            Area area = new Area();
            area.setValue("4321");
            area.setShare(0.25);
            named.setArea(area);
            named.setKeyword("word");
            sent.getNamedTypes().add(named);
        });
        echo("kinds of text", sent -> {
            sent.getXsTypes().add(xs());
            numbers(sent.getXsTypes().get(0), "0", "0", 1, 0, "-1");
        });
        echo("integers of any length", sent -> {
            sent.getXsTypes().add(xs());
            numbers(sent.getXsTypes().get(0), "123456789012345678901234567890", "18446744073709551616", 65535, -5,
                "-123456789012345678901234567890");
        });
    }

    static Facets facets() throws Exception {
        Facets made = new Facets();
        made.setCode("ZZ12");
        made.setName("Zoë");
        made.setThree(new byte[] {0, 1, 2});
        made.setTwo(new byte[] {0, -1});
        made.setPercent(100);
        made.setShare(new BigDecimal("0.5"));
        made.setMoney(new BigDecimal("-999.99"));
        made.setSize(0.5);
        made.setLetter("b c");
        made.setDay(calendar("2024-02-29"));
        made.setSpan(DatatypeFactory.newInstance().newDuration("PT1H"));
        made.getNumbers().addAll(Arrays.asList(1, 2, 3));
        made.getPair().addAll(Arrays.asList("ab", "cd"));
        made.setLevel((byte) -3);
        return made;
    }

    // --- Built-in types and operations -----------------------------------------------------------

    interface Fill {
        void fill(Values sent) throws Exception;
    }

    static void values(String name, Fill fill) {
        feature(name, () -> {
            Values sent = new Values();
            fill.fill(sent);
            Object response = call("Calls", "urn:kinds:calls", "Values", sent);
            return same(shown(sent), shown(((ValuesResponse) response).getValuesResult()));
        });
    }

    static void built_in() {
        values("time", sent -> sent.setTime(calendar("13:20:05Z")));
        values("date and dateTime", sent -> {
            sent.setDate(calendar("2024-02-29"));
            sent.setDateTime(calendar("2024-02-29T23:59:58.125+02:00"));
        });
        values("duration", sent ->
            sent.setDuration(DatatypeFactory.newInstance().newDuration("P1Y2M1DT2H3M4S")));
        values("gYear, gMonthDay ...", sent -> {
            sent.setYear(calendar("1999"));
            sent.setYearMonth(calendar("1999-05"));
            sent.setMonth(calendar("--05"));
            sent.setMonthDay(calendar("--02-29"));
            sent.setDay(calendar("---31"));
        });
        values("hexBinary and base64Binary", sent -> {
            sent.setHex(new byte[] {0, 1, -1});
            sent.setBase64(new byte[] {0, 1, -1, -2});
        });
        values("decimal", sent -> sent.setDecimal(new BigDecimal("12345678901234567.12345")));
        values("long and unsignedLong", sent -> {
            sent.setMost(new BigInteger("18446744073709551615"));
            sent.setLeast(Long.MIN_VALUE);
        });
        values("INF", sent -> sent.setEndless(Double.NEGATIVE_INFINITY));
    }

    static void operations() throws Exception {
        CallsSoap calls = proxy("Calls", "urn:kinds:calls", CallsSoap.class);
        feature("bare operation", () -> {
            kinds.mirrors.Tagged tagged = new kinds.mirrors.Tagged();
            tagged.setValue("Zoë");
            tagged.setLang("en");
            tagged = proxy("Mirrors", "urn:kinds:mirrors", MirrorsSoap.class).mirror(tagged);
            return same("Zoë en", tagged.getValue() + " " + tagged.getLang());
        });
        feature("several response elements", () -> {
            Holder<Integer> count = new Holder<>();
            Holder<List<String>> words = new Holder<>();
            calls.find("find", count, words);
            return same("2 [one, two]", count.value + " " + words.value);
        });
        feature("header blocks in requests", () -> {
            Login login = new Login();
            login.setKey("Zoë");
            Trace trace = new Trace();
            trace.setId("t1");
            return same("in", calls.enter("in", login, trace));
        });
        feature("header blocks in responses", () -> {
            Holder<Receipt> receipt = new Holder<>();
            Holder<Trace> trace = new Holder<>();
            String result = calls.pay("pay", receipt, trace);
            return same("paid 7 t2", result + " " + receipt.value.getNumber() + " " + trace.value.getId());
        });
        feature("declared fault", () -> {
            try {
                return "no fault, but " + calls.fail("fail");
            } catch (ProblemFault fault) {
                String told = fault.getFaultInfo().getCode() + " " + fault.getFaultInfo().getText();
                return same("7 Zoë it failed", told + " " + fault.getMessage());
            }
        });
        feature("one-way operation", () -> {
            calls.forget("forget");
            return null;
        });
        feature("rpc/literal", () -> {
            kinds.sums.Tagged note = new kinds.sums.Tagged();
            note.setValue("Zoë");
            note.setLang("en");
            return same("5", "" + proxy("Sums", "urn:kinds:sums", SumsSoap.class).add(2, 3, note));
        });
    }

    static kinds.rows.Line line(String article, int count) {
        kinds.rows.Line made = new kinds.rows.Line();
        made.setArticle(article);
        made.setCount(count);
        return made;
    }

    static com.microsoft.schemas._2003._10.serialization.arrays.KeyValueOfstringint score(String key, int value) {
        var made = new com.microsoft.schemas._2003._10.serialization.arrays.KeyValueOfstringint();
        made.setKey(key);
        made.setValue(value);
        return made;
    }

    static void rows() throws Exception {
        RowsSoap rows = proxy("Rows", "urn:kinds:rows", RowsSoap.class);
        feature("wrapped list", () -> {
            kinds.rows.Order order = new kinds.rows.Order();
            order.setLines(new kinds.rows.ArrayOfItem());
            order.getLines().getItem().addAll(Arrays.asList(line("Zoë", 1), line("<b>", -2)));
            order.setWords(new kinds.rows.ArrayOfString());
            order.getWords().getString().addAll(Arrays.asList("one", "two"));
            return same(shown(order), shown(rows.putOrder(order)));
        });
        feature("map", () -> {
            kinds.rows.Scores scores = new kinds.rows.Scores();
            scores.setScores(new com.microsoft.schemas._2003._10.serialization.arrays.ArrayOfKeyValueOfstringint());
            scores.getScores().getKeyValueOfstringint().addAll(Arrays.asList(score("Ann", 1), score("Zoë", 2)));
            kinds.rows.Numbered numbered = new kinds.rows.Numbered();
            numbered.setNumber(7);
            numbered.setLine(line("a", 1));
            scores.setLines(new kinds.rows.ArrayOfNumbered());
            scores.getLines().getNumbered().add(numbered);
            return same(shown(scores), shown(rows.putScores(scores)));
        });
        feature("types by adapters", () -> {
            kinds.rows.Event event = new kinds.rows.Event();
            event.setDay(calendar("2024-02-29"));
            event.setAt(calendar("2024-02-29T13:05:00Z"));
            event.setLength(DatatypeFactory.newInstance().newDuration("PT1H30M"));
            event.setPrice(new BigDecimal("10.50"));
            event.setLine(line("a", 1));
            return same(shown(event), shown(rows.putEvent(event)));
        });
        feature("parameters", () -> same("5", "" + rows.add(2, 3)));
    }

    public static void main(String[] arguments) throws Exception {
        System.setOut(new java.io.PrintStream(System.out, true, "UTF-8"));
        base = arguments[0];
        version = arguments[1];
        classes = JAXBContext.newInstance("example.kinds.kinds:kinds.geo:kinds.meta:kinds.units:kinds.calls"
            + ":kinds.rows:com.microsoft.schemas._2003._10.serialization.arrays");
        names_and_attributes();
        structures();
        derived();
        wildcards();
        simple_types();
        built_in();
        operations();
        rows();
    }
}
