// Mono's proxies, as its `wsdl` generates them, against the service of all kinds:
// kinds_mono.exe URL 1.1|1.2
//
// Compiled once for each SOAP version. Sends the value of each feature in features.md, as objects of the
// generated classes, and compares what comes back: both are written as XML, since such classes do not
// compare. BARE is defined when `wsdl` could read the service with the bare operation.

using System;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;
using KindsTypes;

static class Client {
    static string address, version;
    static KindsTypes.Kinds kinds;
    static CallsTypes.Calls calls;

    /// The step answers what is wrong, or null.
    static void Feature(string name, Func<string> step) {
        string wrong;
        try {
            wrong = step();
        } catch (TargetInvocationException error) {
            wrong = $"{error.InnerException.GetType().Name}: {error.InnerException.Message}";
        } catch (Exception error) {
            wrong = $"{error.GetType().Name}: {error.Message}";
        }
        Console.WriteLine(wrong == null ? $"ok   mono {version}: {name}"
            : $"FAIL mono {version}: {name}: {Regex.Replace(wrong, @"\s+", " ")}");
    }

    static string Same(string sent, string found) => sent == found ? null : $"sent {sent}, got {found}";

    static string Shown(object value) {
        var document = new XmlDocument();
        using (XmlWriter writer = document.CreateNavigator().AppendChild())
            new XmlSerializer(value.GetType()).Serialize(writer, value);
        return Shown(document.DocumentElement);
    }

    /// Without prefixes, which may differ.
    static string Shown(XmlNode node) {
        if (!(node is XmlElement)) return Resolved(node.ParentNode, node.Value);
        var attributes = node.Attributes.Cast<XmlAttribute>()
            .Where(each => each.NamespaceURI != "http://www.w3.org/2000/xmlns/")
            .Select(each => $"{{{each.NamespaceURI}}}{each.LocalName}={Resolved(node, each.Value)}")
            .OrderBy(each => each, StringComparer.Ordinal);
        string children = string.Concat(node.ChildNodes.Cast<XmlNode>().Select(Shown));
        return $"<{{{node.NamespaceURI}}}{node.LocalName}[{string.Join(" ", attributes)}]>{children}</>";
    }

    /// A qualified name by what its prefix is declared as, any other text as it is.
    static string Resolved(XmlNode where, string text) {
        string[] parts = text.Split(':');
        string uri = parts.Length == 2 ? where.GetNamespaceOfPrefix(parts[0]) : "";
        return uri == "" ? text : $"{{{uri}}}{parts[1]}";
    }

    static T Told<T>(T service) where T : SoapHttpClientProtocol {
        service.Url = $"{address}/soap/v3/{typeof(T).Name}.asmx";
        service.Timeout = 20000;
        return service;
    }

    /// Calls a method with a parameter for each field of a record.
    static TRecord Call<TRecord>(object service, TRecord sent) {
        MethodInfo method = service.GetType().GetMethod(typeof(TRecord).Name);
        object[] arguments =
            method.GetParameters().Select(each => typeof(TRecord).GetField(each.Name).GetValue(sent)).ToArray();
        return (TRecord)method.Invoke(service, arguments);
    }

    static void Echo(string name, Everything sent) => Feature(name, () => Same(Shown(sent), Shown(Call(kinds, sent))));

    static XmlElement Element(string text) {
        var document = new XmlDocument();
        document.LoadXml(text);
        return document.DocumentElement;
    }

    static XmlAttribute Attribute(string uri, string name, string value) {
        XmlAttribute made = new XmlDocument().CreateAttribute(uri == "" ? "" : "p", name, uri);
        made.Value = value;
        return made;
    }

    static Length Long(double value, Unit unit = Unit.m) => new Length { Value = value, unit = unit };
    static Grouped Group() => new Grouped { Name = "n", id = 1, Last = "z" };
    static Lists List() => new Lists { Numbers = "1 -2 3", Many = new[] { "0.5 1.5", "2" }, Mixed = "", words = new[] { "a", "b" } };
    static XmlQualifiedName Name(string uri, string name) => new XmlQualifiedName(name, uri);
    static QualifiedNames Names() =>
        new QualifiedNames { Element = Name("urn:q", "a"), Many = new[] { Name("urn:q", "b"), Name("urn:r", "c") } };

    static void Structures() {
        Echo("attribute", new Everything { Length = new[] { new Length { Value = 1.5, unit = Unit.m, digits = 2, digitsSpecified = true } } });
        Echo("attribute of another namespace", new Everything { Length = new[] { new Length { Value = 2.5, unit = Unit.m, source = "Zoë & <Ada>" } } });
        Echo("enumeration", new Everything { Length = new[] { Long(3.5, Unit.ft) } });
        Echo("default and fixed", new Everything { Length = new[] { new Length { Value = 4.5, unit = Unit.m, system = "imperial" } } });
        var price = new Price { Value = 10.50m, currency = "EUR" };
        Echo("text with attributes", new Everything { Price = new[] { price, new Price { Value = -1, currency = "\"Zoë\" & <Ada>" } } });
        Echo("type of another namespace", new Everything { Point = new[] { new Point { X = 1.5, Y = -2 } } });
        Echo("unqualified element", new Everything { Point = new[] { new Point { X = 1, Y = 2, Note = "Zoë" } } });
        Echo("element of a third namespace", new Everything { Point = new[] { new Point { X = 3, Y = 4, Comment = "Zoë" } } });
        Echo("two types of one name", new Everything {
            Price = new[] { new Price { Value = 1, currency = "EUR" } }, OtherPrice = new[] { new Price1 { Cents = 100 } } });
        Echo("unqualified record", new Everything { Plain = new[] { new Plain { A = "a", B = new[] { 1, 2 } } } });
        Echo("occurrence", new Everything { Counted = new[] { new Counted { TwoToFive = new short[] { 1, 2, 3 }, Some = new[] { "a", "" } } } });
        Echo("nillable", new Everything { Nils = new[] {
            new Nils { MayBeThereSpecified = true }, new Nils { MustBeThere = "there", MayBeThere = 5, MayBeThereSpecified = true } } });
        Echo("nillable record", new Everything { Nils = new[] {
            new Nils { MustBeThere = "there", Many = new[] { new Plain { A = "a" }, null } } } });
        var book = new Book { Title = "One", Author = new Author { Name = "Bob" }, Sequel = new Book { Title = "Two" } };
        Echo("recursion", new Everything { Author = new Author { Name = "Ann", Book = new[] { book } } });
        Choices();
        Echo("optional group", new Everything { Grouped = new[] { new Grouped { Name = "n", id = 1, From = 1, To = 2, Last = "z" }, Group() } });
        Echo("repeated group", new Everything { Grouped = new[] {
            new Grouped { Name = "n", id = 1, Key = new[] { "a", "c", "d" }, Value = new[] { "b", "e" }, Last = "z" } } });
    }

    static void Choices() {
        var phone = new[] { ItemsChoiceType.Phone };
        var mail = new[] { ItemsChoiceType.Mail };
        var aliases = new[] { ItemsChoiceType.Alias, ItemsChoiceType.Alias };
        Echo("choice", new Everything { Person = new[] {
            new Person { Name = "Ann", Items = new[] { "1" }, ItemsElementName = phone },
            new Person { Name = "Bob", Items = new[] { "b@c" }, ItemsElementName = mail },
            new Person { Name = "Cy", Items = new[] { "c", "d" }, ItemsElementName = aliases } } });
        var steps = new[] { ItemsChoiceType1.Left, ItemsChoiceType1.Right, ItemsChoiceType1.Left };
        Echo("repeated choice", new Everything { Walk = new[] {
            new Walk { Items = new object[] { 1, 2, 3 }, ItemsElementName = steps } } });
        var card = new[] { ItemsChoiceType2.Number, ItemsChoiceType2.Code };
        var transfer = new[] { ItemsChoiceType2.Account, ItemsChoiceType2.Bank };
        Echo("choice of groups", new Everything { Payment = new[] {
            new Payment { Items = new object[] { "4111", 7 }, ItemsElementName = card, Amount = 1 },
            new Payment { Items = new object[] { "DE1", "bank" }, ItemsElementName = transfer, Amount = 2 },
            new Payment { Amount = 3 } } });
    }

    static void Derived() {
        Echo("extension", new Everything {
            Dog = new[] { new Dog { Name = "Rex", id = 1, Barks = true } }, Puppy = new[] { new Puppy { Name = "Bo", id = 2 } } });
        var rex = new Dog { Name = "Rex", id = 1, Barks = true };
        var tom = new Cat { Name = "Tom", id = 2, Lives = 7, colour = "grey" };
        var animals = new Animal[] { new Puppy { Name = "Bo", id = 3 }, new Cat { Name = "Kit", id = 4, Lives = 7, colour = "grey" } };
        Echo("derived type", new Everything { Zoo = new[] { new Zoo { Director = rex, Star = tom, Animal = animals } } });
        var shapes = new[] { new Shape { Label = "plain" }, new Circle { Label = "round", Radius = 1.5 } };
        var director = new Dog { Name = "Rex", id = 9 };
        Echo("derived type in another namespace", new Everything { Zoo = new[] { new Zoo { Director = director, Shape = shapes } } });
    }

    static void Wildcards() {
        XmlElement note = Element("<a xmlns='urn:notes'>one</a>"), more = Element("<b xmlns='urn:more'>two</b>");
        Echo("any", new Everything { Open = new[] { new Open { Known = "k", Any = new[] { note, more } } } });
        var attributes = new[] { Attribute("urn:others", "a", "v"), Attribute("", "own", "w") };
        Echo("anyAttribute", new Everything { Open = new[] { new Open { Known = "k", AnyAttr = attributes } } });
        var geo = new[] { Attribute("urn:kinds:geo", "a", "1") };
        Echo("any in another namespace", new Everything { OpenElsewhere = new[] { new OpenElsewhere { Any = note, AnyAttr = geo } } });
        Echo("any in a repeated group", new Everything { OpenGroups = new[] { new OpenGroups { Any = note, Last = "z" } } });
        var other = new[] { Attribute("urn:others", "a", "v") };
        Echo("anyAttribute beside text", new Everything { OpenText = new[] { new OpenText { Value = "Zoë", AnyAttr = other } } });
        Echo("anyType", new Everything { Anything = new[] { new Anything { Value = "Zoë", Many = new object[] { "one", "two" } } } });
    }

    static void SimpleTypes() {
        Echo("list", new Everything { Lists = new[] { List() } });
        Lists units = List(), mixed = List();
        units.units = new[] { Unit.m, Unit.ft };
        mixed.Mixed = "-7 2020-01-02";
        Echo("list of an enumeration", new Everything { Lists = new[] { units } });
        Echo("list of a union", new Everything { Lists = new[] { mixed } });
        Echo("union", new Everything { Unions = new[] {
            new Unions { Value = "7", Many = new[] { "true", "1.5" } }, new Unions { Value = "2020-01-02" },
            new Unions { Value = "ft" }, new Unions { Value = "Zoë" } } });
        Echo("union in an attribute", new Everything { Unions = new[] { new Unions { Value = "8", attribute = "1 2" } } });
        Echo("QName", new Everything { QualifiedNames = new[] { Names() } });
        QualifiedNames names = Names();
        names.attribute = Name("urn:q", "d");
        Echo("QName in an attribute", new Everything { QualifiedNames = new[] { names } });
        Echo("facets", new Everything { Facets = new[] { new Facets {
            Code = "ZZ12", Name = "Zoë", Three = new byte[] { 0, 1, 2 }, Two = new byte[] { 0, 255 }, Percent = 100,
            Share = 0.5m, Money = -999.99m, Size = 0.5, Letter = FacetsLetter.bc, Day = new DateTime(2024, 2, 29),
            DaySpecified = true, Span = "PT1H", Numbers = "1 2 3", Pair = new[] { "ab", "cd" }, level = -3 } } });
        Echo("named simple types", new Everything { NamedTypes = new[] { new NamedTypes {
            Code = "1234", Codes = new[] { "0001", "9999" }, LowCode = "0123", Share = 0.5, Few = "1 2",
            Area = new Area { Value = "4321", share = 0.25, shareSpecified = true }, keyword = "word" } } });
        Echo("kinds of text", new Everything { XsTypes = new[] { Text("0", "0", "1", "0", "-1") } });
        Echo("integers of any length", new Everything { XsTypes = new[] {
            Text("123456789012345678901234567890", "18446744073709551616", "65535", "-5", "-123456789012345678901234567890") } });
    }

    static XsTypes Text(string integer, string natural, string positive, string least, string negative) => new XsTypes {
        NormalizedString = "a  b", Token = "a b", Language = "pt-BR", Name = "a:b", NCName = "_1.2-3", NMTOKEN = "-a:b.c",
        id = "id-1", IDREF = "id-1", AnyURI = "http://example.com/a?b#c", attribute = "a b", Integer = integer,
        NonNegative = natural, Positive = positive, NonPositive = least, Negative = negative };

    static void Values(string name, CallsTypes.Values sent) =>
        Feature(name, () => Same(Shown(sent), Shown(Call(calls, sent))));

    static void BuiltIn() {
        var time = new DateTime(1, 1, 1, 13, 20, 5, DateTimeKind.Utc);
        Values("time", new CallsTypes.Values { Time = time, TimeSpecified = true });
        // A DateTime has no offset but the machine's: the same moment by another one.
        Values("date and dateTime", new CallsTypes.Values {
            Date = new DateTime(2024, 2, 29), DateSpecified = true,
            DateTime = new DateTime(2024, 2, 29, 21, 59, 58, 125, DateTimeKind.Utc), DateTimeSpecified = true });
        Values("duration", new CallsTypes.Values { Duration = "P1Y2M1DT2H3M4S" });
        Values("gYear, gMonthDay ...", new CallsTypes.Values {
            Year = "1999", YearMonth = "1999-05", Month = "--05", MonthDay = "--02-29", Day = "---31" });
        Values("hexBinary and base64Binary", new CallsTypes.Values {
            Hex = new byte[] { 0, 1, 255 }, Base64 = new byte[] { 0, 1, 255, 254 } });
        Values("decimal", new CallsTypes.Values { Decimal = 12345678901234567.12345m, DecimalSpecified = true });
        Values("long and unsignedLong", new CallsTypes.Values {
            Most = ulong.MaxValue, MostSpecified = true, Least = long.MinValue, LeastSpecified = true });
        Values("INF", new CallsTypes.Values { Endless = double.NegativeInfinity, EndlessSpecified = true });
    }

    static string Bare() {
#if BARE
        var found = Told(new MirrorsTypes.Mirrors()).Mirror(new MirrorsTypes.Tagged { Value = "Zoë", lang = "en" });
        return Same("Zoë en", $"{found.Value} {found.lang}");
#else
        return "its binding cannot be imported";
#endif
    }

    static void Operations() {
        Feature("bare operation", Bare);
        Feature("several response elements", () => {
            int count = calls.Find("find", out string[] words);
            return Same("2 one two", $"{count} {string.Join(" ", words)}");
        });
        Feature("header blocks in requests", () => {
            calls.LoginValue = new CallsTypes.Login { Key = "Zoë" };
            calls.TraceValue = new CallsTypes.Trace { Id = "t1" };
            return Same("in", calls.Enter("in"));
        });
        Feature("header blocks in responses", () => {
            calls.TraceValue = null;
            string result = calls.Pay("pay");
            return Same("paid 7 t2", $"{result} {calls.ReceiptValue?.Number} {calls.TraceValue?.Id}");
        });
        Feature("declared fault", () => {
            try {
                return "no fault, but " + calls.Fail("fail");
            } catch (SoapException fault) {
                XmlElement problem = fault.Detail?["Problem", "urn:kinds:calls"];
                return Same("7 Zoë it failed", $"{problem?["Code"]?.InnerText} {problem?["Text"]?.InnerText} {fault.Message}");
            }
        });
        Feature("one-way operation", () => {
            calls.Forget("forget");
            return null;
        });
        Feature("rpc/literal", () => {
            var note = new SumsTypes.Tagged { Value = "Zoë", lang = "en" };
            return Same("5", $"{Told(new SumsTypes.Sums()).Add(2, 3, note)}");
        });
    }

    static void Main(string[] arguments) {
        Console.OutputEncoding = new UTF8Encoding(false);
        address = arguments[0];
        version = arguments[1];
        kinds = Told(new KindsTypes.Kinds());
        calls = Told(new CallsTypes.Calls());
        Structures();
        Derived();
        Wildcards();
        SimpleTypes();
        BuiltIn();
        Operations();
    }
}
