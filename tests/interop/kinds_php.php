<?php
// PHP's SoapClient against the service of all kinds: kinds_php.php URL 1.1|1.2
//
// Sends the value of each feature in features.md, as PHP's own values, and compares what comes back.

[, $base, $version] = $argv;
set_error_handler(fn($level, $message) => throw new ErrorException($message));
const KINDS = "http://kinds.example/Kinds";
const GEO = "urn:kinds:geo";

function client(string $name): SoapClient {
    global $base, $version;
    return new SoapClient("$base/soap/v3/$name.asmx?wsdl", [
        "soap_version" => $version === "1.1" ? SOAP_1_1 : SOAP_1_2,
        "cache_wsdl" => WSDL_CACHE_NONE,
        "features" => SOAP_SINGLE_ELEMENT_ARRAYS,
        "classmap" => ["Dog" => "Dog", "Puppy" => "Puppy", "Cat" => "Cat", "Shape" => "Shape", "Circle" => "Circle"],
    ]);
}

// What responses are read as, so that they keep their types.
#[AllowDynamicProperties]
class Shape {}
class Circle extends Shape {}
#[AllowDynamicProperties]
class Animal {}
class Dog extends Animal {}
class Puppy extends Dog {}
class Cat extends Animal {}

$kinds = client("Kinds");
$calls = client("Calls");
$mirrors = client("Mirrors");
$sums = client("Sums");

/** The step answers what is wrong, if anything. */
function feature(string $name, callable $step): void {
    global $version;
    try {
        $wrong = $step();
    } catch (Throwable $error) {
        $wrong = get_class($error) . ": " . $error->getMessage();
    }
    if ($wrong === null) echo "ok   php $version: $name\n";
    else echo "FAIL php $version: $name: ", preg_replace('/\s+/', " ", $wrong), "\n";
}

/** What was sent or came back, without what is absent, in one order. */
function plain(mixed $value): mixed {
    if ($value instanceof SoapVar) return plain($value->enc_value) + ["type" => $value->enc_stype];
    if (is_object($value)) {
        $made = plain(get_object_vars($value));
        return $value instanceof stdClass ? $made : $made + ["type" => get_class($value)];
    }
    if (!is_array($value)) return is_scalar($value) ? (string)$value : $value;
    $made = array_map("plain", $value);
    if (!array_is_list($made)) {
        $made = array_filter($made, fn($each) => $each !== null && $each !== []);
        ksort($made);
    }
    return $made;
}

function ordered(mixed $value): mixed {
    if (!is_array($value)) return $value;
    if (!array_is_list($value)) ksort($value);
    return array_map("ordered", $value);
}

function same(mixed $sent, mixed $found): ?string {
    [$sent, $found] = [var_export(ordered(plain($sent)), true), var_export(ordered(plain($found)), true)];
    return $sent === $found ? null : "sent $sent, got $found";
}

/** The response may have more, by default values: $preset is what was not sent of them. */
function echoed(array $fields, array $preset = []): callable {
    return function () use ($fields, $preset) {
        global $kinds;
        $found = plain($kinds->Everything($fields)->EverythingResult);
        foreach ($preset as $record => [$name, $expected]) {
            foreach ($found[$record] as &$each) {
                if (($each[$name] ?? null) !== $expected) return "$name is not $expected";
                unset($each[$name]);
            }
        }
        return same($fields, $found);
    };
}

function typed(string $type, array $fields, string $uri = KINDS): SoapVar {
    return new SoapVar($fields, SOAP_ENC_OBJECT, $type, $uri);
}

const PRESET = ["Length" => ["system", "SI"]];
const LENGTH = ["unit" => "m", "version" => "1.0"];
const LISTS = ["Numbers" => "1 -2 3", "Many" => ["0.5 1.5", "2"], "words" => "a b"];
const XS = [
    "NormalizedString" => "a  b", "Token" => "a b", "Language" => "pt-BR", "Name" => "a:b", "NCName" => "_1.2-3",
    "NMTOKEN" => "-a:b.c", "id" => "id-1", "IDREF" => "id-1", "AnyURI" => "http://example.com/a?b#c",
    "attribute" => "a b",
];
const NOTE = '<a xmlns="urn:notes">one</a>';
const MORE = '<b xmlns="urn:more">two</b>';

function structures(): void {
    feature("attribute", echoed(["Length" => [["Value" => 1.5, "digits" => 2] + LENGTH]], PRESET));
    $foreign = ["Value" => 2.5, "source" => "Zoë & <Ada>"] + LENGTH;
    feature("attribute of another namespace", echoed(["Length" => [$foreign]], PRESET));
    feature("enumeration", echoed(["Length" => [["Value" => 3.5, "unit" => "ft"] + LENGTH]], PRESET));
    feature("default and fixed", echoed(["Length" => [["Value" => 4.5, "system" => "imperial"] + LENGTH]]));
    $prices = [["_" => "10.50", "currency" => "EUR"], ["_" => "-1", "currency" => '"Zoë" & <Ada>']];
    feature("text with attributes", echoed(["Price" => $prices]));
    feature("type of another namespace", echoed(["Point" => [["X" => 1.5, "Y" => -2]]]));
    feature("unqualified element", echoed(["Point" => [["X" => 1, "Y" => 2, "Note" => "Zoë"]]]));
    feature("element of a third namespace", echoed(["Point" => [["X" => 3, "Y" => 4, "Comment" => "Zoë"]]]));
    $two = ["Price" => [["_" => "1", "currency" => "EUR"]], "OtherPrice" => [["Cents" => 100]]];
    feature("two types of one name", echoed($two));
    feature("unqualified record", echoed(["Plain" => [["A" => "a", "B" => [1, 2]]]]));
    feature("occurrence", echoed(["Counted" => [["TwoToFive" => [1, 2, 3], "Some" => ["a", ""]]]]));
    $nils = [["MustBeThere" => null, "MayBeThere" => null], ["MustBeThere" => "there", "MayBeThere" => 5]];
    feature("nillable", echoed(["Nils" => $nils]));
    feature("nillable record", echoed(["Nils" => [["MustBeThere" => "there", "Many" => [["A" => "a"], null]]]]));
    $books = [["Title" => "One", "Author" => ["Name" => "Bob"], "Sequel" => ["Title" => "Two"]]];
    feature("recursion", echoed(["Author" => ["Name" => "Ann", "Book" => $books]]));
    $persons = [["Name" => "Ann", "Phone" => "1"], ["Name" => "Bob", "Mail" => "b@c"],
        ["Name" => "Cy", "Alias" => ["c", "d"]]];
    feature("choice", echoed(["Person" => $persons]));
    feature("repeated choice", echoed(["Walk" => [["Left" => [1, 3], "Right" => [2]]]]));
    $payments = [["Number" => "4111", "Code" => 7, "Amount" => "1"],
        ["Account" => "DE1", "Bank" => "bank", "Amount" => "2"], ["Amount" => "3"]];
    feature("choice of groups", echoed(["Payment" => $payments]));
    $grouped = ["Name" => "n", "id" => 1, "Last" => "z"];
    feature("optional group", echoed(["Grouped" => [$grouped + ["From" => 1, "To" => 2], $grouped]]));
    $pairs = ["Key" => ["a", "c", "d"], "Value" => ["b", null, "e"]];
    feature("repeated group", echoed(["Grouped" => [$grouped + $pairs]]));
    $rex = ["Name" => "Rex", "id" => 1, "Barks" => "true"];
    derived($rex);
}

/** Booleans are compared as text, since xsi:type makes PHP send objects as they are. */
function derived(array $rex): void {
    global $kinds;
    feature("extension", function () {
        global $kinds;
        $sent = ["Dog" => [["Name" => "Rex", "id" => 1, "Barks" => true]],
            "Puppy" => [["Name" => "Bo", "id" => 2, "Barks" => false]]];
        $expected = ["Dog" => [$sent["Dog"][0] + ["type" => "Dog"]], "Puppy" => [$sent["Puppy"][0] + ["type" => "Puppy"]]];
        return same($expected, $kinds->Everything($sent)->EverythingResult);
    });
    $dog = typed("Dog", ["Name" => "Rex", "id" => 1, "Barks" => true]);
    $animals = [typed("Puppy", ["Name" => "Bo", "id" => 3, "Barks" => false]),
        typed("Cat", ["Name" => "Kit", "id" => 4, "Lives" => 7, "colour" => "grey"], GEO)];
    $tom = typed("Cat", ["Name" => "Tom", "id" => 2, "Lives" => 7, "colour" => "grey"], GEO);
    feature("derived type", echoed(["Zoo" => [["Director" => $dog, "Star" => $tom, "Animal" => $animals]]]));
    $shapes = [typed("Shape", ["Label" => "plain"]), typed("Circle", ["Label" => "round", "Radius" => 1.5])];
    $director = typed("Dog", ["Name" => "Rex", "id" => 9, "Barks" => false]);
    $zoo = ["Director" => $director, "Shape" => $shapes];
    feature("derived type in another namespace", echoed(["Zoo" => [$zoo]]));
}

/** A wildcard is text in PHP, and read so that one of each name is found. */
function taken(string $record, array $fields, array $expected): callable {
    return function () use ($record, $fields, $expected) {
        global $kinds;
        return same([$expected], $kinds->Everything([$record => [$fields]])->EverythingResult->$record);
    };
}

function wildcards(): void {
    feature("any", taken("Open", ["Known" => "k", "any" => NOTE . MORE], ["Known" => "k", "any" => NOTE . MORE]));
    feature("anyAttribute", echoed(["Open" => [["Known" => "k", "a" => "v", "own" => "w"]]]));
    feature("any in another namespace", echoed(["OpenElsewhere" => [["any" => NOTE, "a" => "1"]]]));
    $groups = ["any" => NOTE . MORE, "Last" => "z"];
    feature("any in a repeated group", taken("OpenGroups", $groups, $groups));
    feature("anyAttribute beside text", echoed(["OpenText" => [["_" => "Zoë", "a" => "v"]]]));
    feature("anyType", echoed(["Anything" => [["Value" => "Zoë", "Many" => ["one", "two"]]]]));
}

function simple_types(): void {
    feature("list", echoed(["Lists" => [LISTS + ["Mixed" => ""]]]));
    feature("list of an enumeration", echoed(["Lists" => [LISTS + ["Mixed" => "", "units" => "m ft"]]]));
    feature("list of a union", echoed(["Lists" => [LISTS + ["Mixed" => "-7 2020-01-02"]]]));
    $unions = [["Value" => "7", "Many" => ["true", "1.5"]], ["Value" => "2020-01-02"], ["Value" => "ft"],
        ["Value" => "Zoë"]];
    feature("union", echoed(["Unions" => $unions]));
    feature("union in an attribute", echoed(["Unions" => [["Value" => "8", "attribute" => "1 2"]]]));
    $names = ["Element" => "{urn:q}a", "Many" => ["{urn:q}b", "{urn:r}c"]];
    feature("QName", echoed(["QualifiedNames" => [$names]]));
    feature("QName in an attribute", echoed(["QualifiedNames" => [$names + ["attribute" => "{urn:q}d"]]]));
    feature("facets", echoed(["Facets" => [[
        "Code" => "ZZ12", "Name" => "Zoë", "Three" => "\0\1\2", "Two" => "\0\xff", "Percent" => 100, "Share" => "0.5",
        "Money" => "-999.99", "Size" => 0.5, "Letter" => "b c", "Day" => "2024-02-29", "Span" => "PT1H",
        "Numbers" => "1 2 3", "Pair" => ["ab", "cd"], "level" => -3,
    ]]]));
    feature("named simple types", echoed(["NamedTypes" => [[
        "Code" => "1234", "Codes" => ["0001", "9999"], "LowCode" => "0123", "Share" => 0.5, "Few" => "1 2",
        "Area" => ["_" => "4321", "share" => 0.25], "keyword" => "word",
    ]]]));
    $small = ["Integer" => "0", "NonNegative" => "0", "Positive" => 1, "NonPositive" => "0", "Negative" => "-1"];
    feature("kinds of text", echoed(["XsTypes" => [XS + $small]]));
    $large = ["Integer" => "123456789012345678901234567890", "NonNegative" => "18446744073709551616",
        "Positive" => 65535, "NonPositive" => "-5", "Negative" => "-123456789012345678901234567890"];
    feature("integers of any length", echoed(["XsTypes" => [XS + $large]]));
}

function values(array $sent): callable {
    return function () use ($sent) {
        global $calls;
        return same($sent, $calls->Values($sent)->ValuesResult);
    };
}

/** Dates and times are text in PHP. */
function built_in(): void {
    feature("time", values(["Time" => "13:20:05Z"]));
    feature("date and dateTime", values(["Date" => "2024-02-29", "DateTime" => "2024-02-29T23:59:58.125+02:00"]));
    feature("duration", values(["Duration" => "P1Y2M1DT2H3M4S"]));
    feature("gYear, gMonthDay ...", values(["Year" => "1999", "YearMonth" => "1999-05", "Month" => "--05",
        "MonthDay" => "--02-29", "Day" => "---31"]));
    feature("hexBinary and base64Binary", function () {
        global $calls;
        [$hex, $base64] = ["\0\1\xff", "\0\1\xff\xfe"];
        $found = $calls->Values(["Hex" => $hex, "Base64" => $base64])->ValuesResult;
        return same([bin2hex($hex), bin2hex($base64)], [bin2hex($found->Hex), bin2hex($found->Base64)]);
    });
    feature("decimal", values(["Decimal" => "12345678901234567.12345"]));
    feature("long and unsignedLong", values(["Most" => "18446744073709551615", "Least" => PHP_INT_MIN]));
    feature("INF", values(["Endless" => -INF]));
}

function operations(): void {
    global $calls, $mirrors, $sums;
    $tagged = ["_" => "Zoë", "lang" => "en"];
    feature("bare operation", fn() => same($tagged, $mirrors->Mirror($tagged)));
    feature("several response elements", fn() => same(["Count" => 2, "Word" => ["one", "two"]], $calls->Find(["Text" => "find"])));
    feature("header blocks in requests", function () use ($calls) {
        $calls->__setSoapHeaders([new SoapHeader("urn:kinds:calls", "Login", ["Key" => "Zoë"]),
            new SoapHeader("urn:trace", "Trace", ["Id" => "t1"])]);
        try {
            return same("in", $calls->Enter(["Text" => "in"])->EnterResult);
        } finally {
            $calls->__setSoapHeaders();
        }
    });
    feature("header blocks in responses", function () use ($calls) {
        $found = $calls->__soapCall("Pay", [["Text" => "pay"]], null, null, $headers);
        return same(["paid", ["Receipt" => ["Number" => 7], "Trace" => ["Id" => "t2"]]], [$found->PayResult, $headers]);
    });
    feature("declared fault", function () use ($calls) {
        try {
            return "no fault, but " . json_encode($calls->Fail(["Text" => "fail"]));
        } catch (SoapFault $fault) {
            return same([["Code" => 7, "Text" => "Zoë"], "it failed"], [$fault->detail->Problem ?? null, $fault->faultstring]);
        }
    });
    feature("one-way operation", fn() => $calls->Forget(["Text" => "forget"]) === null ? null : "a response");
    feature("rpc/literal", fn() => same(5, $sums->Add(2, 3, $tagged)));
}

structures();
wildcards();
simple_types();
built_in();
operations();
