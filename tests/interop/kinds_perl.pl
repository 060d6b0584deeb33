#!/usr/bin/perl
# SOAP::Lite against the service of all kinds: kinds_perl.pl URL 1.1|1.2
#
# Takes address, actions and namespaces from the WSDLs, sends the value of each feature in features.md
# as SOAP::Data, and compares the response. SOAP::Lite has no types of a schema: elements and
# attributes, with their namespaces, are said one by one, and values are text.

use strict;
use warnings;
use utf8;

use SOAP::Lite;

binmode STDOUT, ':encoding(UTF-8)';
$| = 1;

my ($base, $version) = @ARGV;
my ($kinds_ns, $geo, $meta) = ('http://kinds.example/Kinds', 'urn:kinds:geo', 'urn:kinds:meta');
my $xsi = 'http://www.w3.org/2001/XMLSchema-instance';
my %operations =
    map { $_ => SOAP::Schema->schema_url("$base/soap/v3/$_.asmx?wsdl")->parse->services->{$_} } qw(Kinds Calls Mirrors Sums);

# --- Elements ------------------------------------------------------------------------------------
# [name, {attributes}, text or elements]: `e` makes one. A name like `{uri}local` has a namespace of its
# own, `{}local` none; others have the one of the operation, as their children have. Attributes in
# `{uri}local` get a prefix.

sub e { my ($name, @rest) = @_; my $attributes = ref $rest[0] eq 'HASH' ? shift @rest : {}; return [$name, $attributes, @rest] }

sub declared {
    my ($attributes, $made) = @_;
    for my $name (sort keys %$attributes) {
        my $value = $attributes->{$name};
        if ($name =~ /^\{(.+)\}(.+)$/) {
            my $prefix = $1 eq $xsi ? 'xsi' : 'n' . keys %$made;
            $made->{"xmlns:$prefix"} = $1 if $1 ne $xsi;
            ($name, $value) = ("$prefix:$2", $value);
        }
        if ($value =~ /^\{(.+)\}(.+)$/) {    # a QName
            my $prefix = 'v' . keys %$made;
            $made->{"xmlns:$prefix"} = $1;
            $value = "$prefix:$2";
        }
        $made->{$name} = $value;
    }
    return $made;
}

sub data {
    my ($element, $default) = @_;
    my ($name, $attributes, @content) = @$element;
    my %made;
    my $uri = $name =~ s/^\{(.*)\}// ? $1 : $default;
    $made{xmlns} = $uri;
    declared($attributes, \%made);
    my $data = SOAP::Data->name($name)->attr(\%made);
    return $data->value(\SOAP::Data->value(map { data($_, $default) } @content)) if @content && ref $content[0];
    my $text = $content[0] // '';
    if ($text =~ /^\{(.+)\}(.+)$/) {
        $made{'xmlns:q'} = $1;
        $text = "q:$2";
    }
    return $data->attr(\%made)->value($text)->type('');
}

# The message as a tree: without declarations, and with the prefixes of QNames resolved.
sub tree {
    my ($data) = @_;
    my %attributes;
    my %seen = %{ $data->attr // {} };
    my %uris = map { /^xmlns:(.+)$/ ? ($1 => $seen{$_}) : () } keys %seen;
    my $resolve = sub { my ($text) = @_; return $text =~ /^([\w]+):(\w+)$/ && $uris{$1} ? "{$uris{$1}}$2" : $text };
    for my $name (grep { !/^xmlns/ } keys %seen) {
        my $known = $name =~ /^([\w]+):(\w+)$/ && $uris{$1} ? "{$uris{$1}}$2" : $name;
        $attributes{$known} = $resolve->($seen{$name});
    }
    my @children = ref $data->value ? map { tree($_) } ${ $data->value }->value : ();
    my $value = ref $data->value ? undef : $data->value;
    return [$data->name, \%attributes, @children ? @children : $resolve->($value // '')];
}

sub shown {
    my ($element) = @_;
    my ($name, $attributes, @content) = @$element;
    $name = ($name // '(nothing)') =~ s/^\{.*\}//r;
    my $text = join '', map { ref $_ ? shown($_) : $_ } @content;
    my %local = map { my $key = $_; $key =~ s/^\{.*\}|^\w+://; ($key => $attributes->{$_}) } keys %$attributes;
    return "<$name" . join('', map { " $_='" . ($local{$_} =~ s/^tns://r) . "'" } sort keys %local) . ">$text</$name>";
}

# --- Calls ---------------------------------------------------------------------------------------

sub call {
    my ($service, $operation, $headers, @content) = @_;
    my $read = $operations{$service}{$operation} or die "the WSDL has no $operation\n";
    my $facts = { map { $_ => "$read->{$_}" } qw(endpoint namespace soapaction) };
    my $client = SOAP::Lite->soapversion($version)->new(
        proxy      => [$facts->{endpoint}, timeout => 20],
        default_ns => $facts->{namespace},
        on_action  => sub { qq{"$facts->{soapaction}"} },
        on_fault   => sub { ref $_[1] ? $_[1] : die $_[0]->transport->status . "\n" },
    );
    $client->autotype(0);
    my @blocks = map { my $made = data($_, ''); SOAP::Header->name($made->name)->attr($made->attr)->value($made->value) } @$headers;
    my $method = SOAP::Data->name($operation);
    if (@content && !ref $content[0]) {    # a bare operation of text
        my ($text, $attributes) = @content;
        return $client->call($method->attr({ xmlns => $facts->{namespace}, %$attributes }), @blocks, $text);
    }
    my $default = $service eq 'Sums' ? '' : $facts->{namespace};
    return $client->call($operation, @blocks, map { data($_, $default) } @content);
}

sub reason {
    my ($response) = @_;
    return $response->valueof($version eq '1.1' ? '//Fault/faultstring' : '//Fault/Reason/Text');
}

sub answered {
    my $response = call(@_);
    die reason($response) . "\n" if $response->fault;
    return $response;
}

# The step returns the errors, if any.
sub feature {
    my ($name, $step) = @_;
    my $wrong = eval { $step->() };
    $wrong = $@ if $@;
    $wrong =~ s/\s+/ /g if defined $wrong;
    print defined $wrong ? "FAIL perl $version: $name: $wrong\n" : "ok   perl $version: $name\n";
}

sub same {
    my ($sent, $found) = @_;
    return $sent eq $found ? undef : "sent $sent, got $found";
}

# The response may have more, by default values: %$preset has those that were not sent.
sub echo {
    my ($name, $preset, @sent) = @_;
    feature($name, sub {
        my $response = answered('Kinds', 'Everything', [], @sent);
        my $found = tree(scalar $response->dataof('//EverythingResult'));
        for my $each ($preset ? @$found[2 .. $#$found] : ()) {
            for my $key (keys %$preset) {
                return "$key is not $preset->{$key}" if (delete $each->[1]{$key} // '') ne $preset->{$key};
            }
        }
        return same(shown(['EverythingResult', {}, @sent]), shown($found));
    });
}

# --- Features ------------------------------------------------------------------------------------

my %preset = (system => 'SI');
my %length = (unit => 'm', version => '1.0');
my ($note, $more) = (e('{urn:notes}a', 'one'), e('{urn:more}b', 'two'));

sub structures {
    echo('attribute', \%preset, e(Length => { %length, digits => 2 }, e(Value => '1.5')));
    my %foreign = (%length, "{$meta}source" => 'Zoë & <Ada>');
    echo('attribute of another namespace', \%preset, e(Length => \%foreign, e(Value => '2.5')));
    echo('enumeration', \%preset, e(Length => { %length, unit => 'ft' }, e(Value => '3.5')));
    echo('default and fixed', undef, e(Length => { %length, system => 'imperial' }, e(Value => '4.5')));
    echo('text with attributes', undef,
        e(Price => { currency => 'EUR' }, '10.50'), e(Price => { currency => '"Zoë" & <Ada>' }, '-1'));
    my $point = sub { my ($x, $y, @more) = @_; e(Point => e("{$geo}X" => $x), e("{$geo}Y" => $y), @more) };
    echo('type of another namespace', undef, $point->('1.5', '-2'));
    echo('unqualified element', undef, $point->(1, 2, e('{}Note' => 'Zoë')));
    echo('element of a third namespace', undef, $point->(3, 4, e("{$meta}Comment" => 'Zoë')));
    echo('two types of one name', undef,
        e(Price => { currency => 'EUR' }, '1'), e(OtherPrice => e("{$geo}Cents" => 100)));
    my $plain = sub { e('{}A' => 'a'), map { e('{}B' => $_) } @_ };
    echo('unqualified record', undef, e(Plain => $plain->(1, 2)));
    echo('occurrence', undef, e(Counted => (map { e(TwoToFive => $_) } 1 .. 3), e(Some => 'a'), e(Some => '')));
    my %nil = ("{$xsi}nil" => 'true');
    echo('nillable', undef,
        e(Nils => e(MustBeThere => \%nil), e(MayBeThere => \%nil)),
        e(Nils => e(MustBeThere => 'there'), e(MayBeThere => 5)));
    echo('nillable record', undef, e(Nils => e(MustBeThere => 'there'), e(Many => $plain->()), e(Many => \%nil)));
    my $book = e(Book => e(Title => 'One'), e(Author => e(Name => 'Bob')), e(Sequel => e(Title => 'Two')));
    echo('recursion', undef, e(Author => e(Name => 'Ann'), $book));
    echo('choice', undef,
        e(Person => e(Name => 'Ann'), e(Phone => 1)),
        e(Person => e(Name => 'Bob'), e(Mail => 'b@c')),
        e(Person => e(Name => 'Cy'), e(Alias => 'c'), e(Alias => 'd')));
    echo('repeated choice', undef, e(Walk => e(Left => 1), e(Right => 2), e(Left => 3)));
    echo('choice of groups', undef,
        e(Payment => e(Number => '4111'), e(Code => 7), e(Amount => 1)),
        e(Payment => e(Account => 'DE1'), e(Bank => 'bank'), e(Amount => 2)),
        e(Payment => e(Amount => 3)));
    my $grouped = sub { e(Grouped => { id => 1 }, e(Name => 'n'), @_, e(Last => 'z')) };
    echo('optional group', undef, $grouped->(e(From => 1), e(To => 2)), $grouped->());
    echo('repeated group', undef, $grouped->(
        e(Key => 'a'), e(Value => 'b'), e(Key => 'c'), e(Key => 'd'), e(Value => 'e')));
}

sub derived {
    my $dog = sub { my ($name, $id, $barks) = @_; ({ id => $id }, e(Name => $name), e(Barks => $barks)) };
    echo('extension', undef, e(Dog => $dog->('Rex', 1, 'true')), e(Puppy => $dog->('Bo', 2, 'false')));
    my $as = sub {
        my ($name, $type, $attributes, @content) = @_;
        return e($name => { %$attributes, "{$xsi}type" => $type }, @content);
    };
    my $cat = sub {
        my ($element, $name, $id) = @_;
        my @content = (e(Name => $name), e("{$geo}Lives" => 7));
        return $as->($element, "{$geo}Cat", { id => $id, colour => 'grey' }, @content);
    };
    my $ours = sub { "{$kinds_ns}$_[0]" };
    zoo('derived type',
        $as->(Director => $ours->('Dog'), $dog->('Rex', 1, 'true')),
        $cat->('Star', 'Tom', 2),
        $as->(Animal => $ours->('Puppy'), $dog->('Bo', 3, 'false')),
        $cat->('Animal', 'Kit', 4));
    zoo('derived type in another namespace',
        $as->(Director => $ours->('Dog'), $dog->('Rex', 9, 'false')),
        e("{$meta}Shape" => e(Label => 'plain')),
        $as->("{$meta}Shape" => $ours->('Circle'), {}, e(Label => 'round'), e(Radius => '1.5')));
}

# The prefixes of types are declared in an element above: their local names are compared.
sub zoo {
    my ($name, @animals) = @_;
    feature($name, sub {
        my $found = shown(tree(scalar answered('Kinds', 'Everything', [], e(Zoo => @animals))->dataof('//EverythingResult')));
        my $sent = shown(['EverythingResult', {}, e(Zoo => @animals)]);
        s/ type='(?:\{[^}]*\}|\w+:)?Shape'//g, s/ type='(?:\{[^}]*\}|\w+:)?(\w+)'/ type='$1'/g for $found, $sent;
        return same($sent, $found);
    });
}

sub wildcards {
    echo('any', undef, e(Open => e(Known => 'k'), $note, $more));
    echo('anyAttribute', undef, e(Open => { '{urn:others}a' => 'v', own => 'w' }, e(Known => 'k')));
    echo('any in another namespace', undef, e(OpenElsewhere => { "{$geo}a" => 1 }, $note));
    echo('any in a repeated group', undef, e(OpenGroups => $note, $more, e(Last => 'z')));
    echo('anyAttribute beside text', undef, e(OpenText => { '{urn:others}a' => 'v' }, 'Zoë'));
    echo('anyType', undef, e(Anything => e(Value => 'Zoë'), e(Many => 'one'), e(Many => 'two')));
}

sub simple_types {
    my @lists = (e(Numbers => '1 -2 3'), e(Many => '0.5 1.5'), e(Many => '2'));
    echo('list', undef, e(Lists => { words => 'a b' }, @lists, e(Mixed => '')));
    echo('list of an enumeration', undef, e(Lists => { words => 'a b', units => 'm ft' }, @lists, e(Mixed => '')));
    echo('list of a union', undef, e(Lists => { words => 'a b' }, @lists, e(Mixed => '-7 2020-01-02')));
    echo('union', undef,
        e(Unions => e(Value => 7), e(Many => 'true'), e(Many => '1.5')),
        map { e(Unions => e(Value => $_)) } '2020-01-02', 'ft', 'Zoë');
    echo('union in an attribute', undef, e(Unions => { attribute => '1 2' }, e(Value => 8)));
    my @names = (e(Element => '{urn:q}a'), e("{$meta}Many" => '{urn:q}b'), e("{$meta}Many" => '{urn:r}c'));
    echo('QName', undef, e(QualifiedNames => @names));
    echo('QName in an attribute', undef, e(QualifiedNames => { attribute => '{urn:q}d' }, @names));
    my $all = sub { my @made; while (my ($name, $value) = splice @_, 0, 2) { push @made, e($name => $value) } @made };
    echo('facets', undef, e(Facets => { level => -3 }, $all->(
        Code => 'ZZ12', Name => 'Zoë', Three => 'AAEC', Two => '00FF', Percent => 100, Share => '0.5',
        Money => '-999.99', Size => '0.5', Letter => 'b c', Day => '2024-02-29', Span => 'PT1H',
        Numbers => '1 2 3', Pair => 'ab', Pair => 'cd')));
    echo('named simple types', undef, e(NamedTypes => { keyword => 'word' },
        $all->(Code => '1234', Codes => '0001', Codes => '9999', LowCode => '0123', Share => '0.5', Few => '1 2'),
        e(Area => { share => '0.25' }, '4321')));
    my @text = $all->(
        NormalizedString => 'a  b', Token => 'a b', Language => 'pt-BR', Name => 'a:b', NCName => '_1.2-3',
        NMTOKEN => '-a:b.c', IDREF => 'id-1', AnyURI => 'http://example.com/a?b#c');
    my %ids = (id => 'id-1', attribute => 'a b');
    echo('kinds of text', undef, e(XsTypes => \%ids, @text,
        $all->(Integer => 0, NonNegative => 0, Positive => 1, NonPositive => 0, Negative => -1)));
    echo('integers of any length', undef, e(XsTypes => \%ids, @text, $all->(
        Integer => '123456789012345678901234567890', NonNegative => '18446744073709551616', Positive => 65535,
        NonPositive => -5, Negative => '-123456789012345678901234567890')));
    values_of($all);
}

sub values_of {
    my ($all) = @_;
    my $values = sub {
        my ($name, @pairs) = @_;
        feature($name, sub {
            my @sent = $all->(@pairs);
            my $response = answered('Calls', 'Values', [], @sent);
            return same(shown(['ValuesResult', {}, @sent]), shown(tree(scalar $response->dataof('//ValuesResult'))));
        });
    };
    $values->('time', Time => '13:20:05Z');
    $values->('date and dateTime', DateTime => '2024-02-29T23:59:58.125+02:00', Date => '2024-02-29');
    $values->('duration', Duration => 'P1Y2M1DT2H3M4S');
    $values->('gYear, gMonthDay ...', Year => 1999, YearMonth => '1999-05', Month => '--05',
        MonthDay => '--02-29', Day => '---31');
    $values->('hexBinary and base64Binary', Hex => '0001FF', Base64 => 'AAH//g==');
    $values->('decimal', Decimal => '12345678901234567.12345');
    $values->('long and unsignedLong', Most => '18446744073709551615', Least => '-9223372036854775808');
    $values->('INF', Endless => '-INF');
}

sub operations {
    feature('bare operation', sub {
        my $response = answered('Mirrors', 'Mirror', [], 'Zoë', { lang => 'en' });
        return same("<Mirrored lang='en'>Zoë</Mirrored>", shown(tree(scalar $response->dataof('//Mirrored'))));
    });
    feature('several response elements', sub {
        my $response = answered('Calls', 'Find', [], e(Text => 'find'));
        return same('2 one two', join ' ', $response->valueof('//Count'), $response->valueof('//Word'));
    });
    feature('header blocks in requests', sub {
        my @blocks = (e('{urn:kinds:calls}Login' => e('{urn:kinds:calls}Key' => 'Zoë')), e('{urn:trace}Trace' => e('{urn:trace}Id' => 't1')));
        return same('in', answered('Calls', 'Enter', \@blocks, e(Text => 'in'))->result);
    });
    feature('header blocks in responses', sub {
        my $response = answered('Calls', 'Pay', [], e(Text => 'pay'));
        return same('paid 7 t2', join ' ', $response->result, map { $_->{Number} // $_->{Id} } $response->headers);
    });
    feature('declared fault', sub {
        my $response = call('Calls', 'Fail', [], e(Text => 'fail'));
        my $problem = $response->faultdetail // $response->valueof('//Fault/Detail') // {};
        return same('7 Zoë it failed', join ' ', $problem->{Problem}{Code}, $problem->{Problem}{Text}, reason($response));
    });
    feature('one-way operation', sub {
        my $response = call('Calls', 'Forget', [], e(Text => 'forget'));
        return ref $response ? 'a response' : undef;
    });
    feature('rpc/literal', sub {
        my $response = answered('Sums', 'Add', [], e(a => 2), e(b => 3), e(note => { lang => 'en' }, 'Zoë'));
        return same(5, $response->result);
    });
}

structures();
derived();
wildcards();
simple_types();
operations();
