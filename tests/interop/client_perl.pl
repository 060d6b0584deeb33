#!/usr/bin/perl
# SOAP::Lite against the payroll demo: client_perl.pl URL 1.1|1.2 full|token
#
# Takes address, actions and namespace from the three WSDLs, calls all six operations, checks values,
# faults and a round trip. SOAP::Lite sends an encodingStyle on the Envelope and types of its own
# guess; no types only where it is told so. The other clients in this folder make the same checks.

use strict;
use warnings;
use utf8;

use SOAP::Lite;

binmode STDOUT, ':encoding(UTF-8)';
$| = 1;

my ($base, $version, $mode) = @ARGV;
my $namespaces = 'https://payroll.example.com/soap/v3/';
my %envelope = (
    '1.1' => 'http://schemas.xmlsoap.org/soap/envelope/',
    '1.2' => 'http://www.w3.org/2003/05/soap-envelope',
);
my %domain = (Domain => 'acme');
my $awkward = qq{Café & <b>Straße</b> "€" 'ü' ]]> 日本};
my @strings = qw(Street HouseNumber HouseNumberAddition PostalCode City StateProvince CountryISOCode);

my ($passed, $failed) = (0, 0);

sub check {
    my ($name, $good, @found) = @_;
    $good ? $passed++ : $failed++;
    my $more = $good ? '' : ': ' . join('|', map { $_ // '(absent)' } @found);
    print $good ? 'ok  ' : 'FAIL', " perl $version: $name$more\n";
}

# --- A service -----------------------------------------------------------------------------------

# Its name, and its WSDL as SOAP::Lite reads it.
sub service {
    my ($name) = @_;
    my $url = "$base/soap/v3/$name.asmx?wsdl";
    my $operations = SOAP::Schema->schema_url($url)->parse->services->{$name};
    return { name => $name, url => $url, operations => $operations };
}

# Elements of the given names and values; an absent one is left out. SOAP::Lite makes base64 of a
# string that is not ASCII, unless its type is given; "untyped ..." is left to it.
sub elements {
    my @pairs = @_;
    my @data;
    while (my ($name, $value) = splice @pairs, 0, 2) {
        my $data = SOAP::Data->name($name);
        push @data, ref $value
            ? $data->value(\SOAP::Data->value(elements(@$value)))
            : $value =~ /^-?\d{1,9}$|^untyped / ? $data->value($value) : $data->type(string => $value);
    }
    return @data;
}

# The response; $typed says whether values are sent with xsi:type.
sub call {
    my ($service, $operation, $header, $typed, @parameters) = @_;
    my $read = $service->{operations}{$operation} or die "the WSDL has no $operation";
    my $facts = { map { $_ => "$read->{$_}" } qw(endpoint namespace soapaction) };
    my $client = SOAP::Lite->soapversion($version)->new(
        proxy       => [$facts->{endpoint}, timeout => 20],
        default_ns  => $facts->{namespace},
        on_action   => sub { qq{"$facts->{soapaction}"} },
        on_fault    => sub { ref $_[1] ? $_[1] : die $_[0]->transport->status },
    );
    $client->autotype($typed);
    my @header;
    if ($header) {
        my @fields = elements(map { $_ => $header->{$_} } sort keys %$header);
        @header = SOAP::Header->name('AuthHeaderWithDomain')->attr({ xmlns => $facts->{namespace} })
            ->value(\SOAP::Data->value(@fields));
    }
    my @data = elements(@parameters);
    if (!$typed) { $_->type('') for @data }
    return $client->call($operation, @header, @data);
}

# The result of a call that must succeed.
sub result {
    my ($service, $operation, @rest) = @_;
    my $response = call($service, $operation, @rest);
    die "$operation: " . reason($response) if $response->fault;
    return $response->result;
}

sub reason {
    my ($response) = @_;
    return $response->valueof($version eq '1.1' ? '//Fault/faultstring' : '//Fault/Reason/Text');
}

# The call must fail with the code in the text, and typed in the detail where there is one.
sub fault {
    my ($name, $code, $message, $service, $operation, @rest) = @_;
    my $response = call($service, $operation, @rest);
    if (!$response->fault) {
        check($name, 0, $response->result);
        return;
    }
    check($name, reason($response) eq "Unable to process request. ---> $code: $message", reason($response));
    my $kind = $response->valueof($version eq '1.1' ? '//Fault/faultcode' : '//Fault/Code/Value');
    check("$name, its code", $kind eq ($version eq '1.1' ? 'soap:Client' : 'soap12:Sender'), $kind);
    my $detail = $version eq '1.1' ? '//Fault/detail' : '//Fault/Detail';
    if ($version eq '1.1' && $code == 1001 && $service->{name} ne 'SingleSignOn') {
        # SOAP 1.1, 4.4: an error about a header block carries no detail.
        check("$name, no detail", !$response->match($detail), 'there is one');
        return;
    }
    my $error = $response->dataof("$detail/Error");
    my @found = map { scalar $response->valueof("$detail/Error/$_") } qw(Code Message);
    check("$name, its detail", $error && $error->uri eq $namespaces . $service->{name}
        && $found[0] eq $code && $found[1] eq $message, @found);
}

# --- The checks ----------------------------------------------------------------------------------

# Each as a hash: of an element that is absent, there is no key.
sub addresses {
    my ($employees, $employee, $header) = @_;
    my $response = call($employees, 'Address_GetListCurrent', $header, 1, EmployeeId => $employee);
    die reason($response) if $response->fault;
    return $response->valueof('//Address_GetListCurrentResult/EmployeeAddress');
}

sub sign_on_checks {
    my ($sign_on) = @_;
    my @password = (Username => 'alice', Password => 'correct horse');
    my @api = (Username => 'alice', Token => 'api-token-alice');
    my %tokens = (
        GetToken2          => result($sign_on, 'GetToken2',          undef, 1, @api),
        GetToken           => result($sign_on, 'GetToken',           undef, 1, @password),
        GetTokenWithDomain => result($sign_on, 'GetTokenWithDomain', undef, 0, @password, %domain),
    );
    for my $name (sort keys %tokens) {
        check("$name answers a token", $tokens{$name} =~ /^[A-Za-z0-9_-]{43}$/, $tokens{$name});
    }
    my %different = reverse %tokens;
    check('every token is a new one', keys %different == 3, values %tokens);
    my $response = call($sign_on, 'GetToken2', undef, 1, @api);
    my $uri = $response->dataof('/Envelope')->uri;
    check('the response speaks the version', $uri eq $envelope{$version}, $uri);
    my @wrong = (1001, 'Invalid Authentication', $sign_on);
    fault('GetToken2, wrong API token', @wrong, 'GetToken2', undef, 1, @api[0, 1], Token => 'wrong');
    fault('GetToken, wrong password', @wrong, 'GetToken', undef, 1, @api[0, 1], Password => 'wrong');
    my @nowhere = (@password, Domain => 'nowhere');
    fault('GetTokenWithDomain, unknown domain', @wrong, 'GetTokenWithDomain', undef, 1, @nowhere);
    return $tokens{GetToken2};
}

sub list_checks {
    my ($employees) = @_;
    my @list = addresses($employees, 1, \%domain);
    check('employee 1 has three addresses', @list == 3, scalar @list);
    my $types = join ' ', map { $_->{Type} } @list;
    check('types', $types eq 'HomeAddress PostAddress WorkAddress', $types);
    my $defaults = join ' ', map { $_->{Default} } @list;
    check('one default, the first', $defaults eq 'true false false', $defaults);
    my @ids = map { $_->{Id} } @list;
    check('ids are numbers in order', 3 == grep(/^\d+$/, @ids) && $ids[0] < $ids[1] && $ids[1] < $ids[2], @ids);
    my @filled = grep { length } map { @$_{qw(Street HouseNumber PostalCode City CountryISOCode)} } @list;
    check('the other fields are filled', @filled == 15, @filled);
    check('umlauts', $list[2]{Street} eq 'Königsallee' && $list[2]{City} eq 'Düsseldorf', $list[2]{Street});
    my @additions = map { $_->{HouseNumberAddition} } grep { exists $_->{HouseNumberAddition} } @list;
    check('one HouseNumberAddition is absent', @additions == 2 && !grep({ $_ eq '' } @additions), @additions);
    my @states = grep { exists $_->{StateProvince} } @list;
    check('one StateProvince is empty', @states == 3 && 1 == grep({ $_->{StateProvince} eq '' } @states));
    check('employee 2 has none', 0 == (my @none = addresses($employees, 2, \%domain)));
    my @many = addresses($employees, 100, \%domain);
    my %ids = map { $_->{Id} => 1 } @many;
    check('employee 100 has a hundred', @many == 100 && keys %ids == 100, scalar @many);
    my @other = addresses($employees, 3, { Domain => 'globex' });
    check('employee 3 of the other domain', @other == 1, scalar @other);
}

sub header_checks {
    my ($employees, $token) = @_;
    my $served = sub { 3 == (my @list = addresses($employees, 1, { @_ })) };
    my @full = (Username => 'alice', Token => $token, %domain);
    check('header with an issued token', $served->(@full));
    check('header with the API token', $served->(@full, Token => 'api-token-alice'));
    check('header without Domain', $served->(Username => 'alice', Token => $token));

    my $refused = sub {
        my ($name, $code, $message, $header, $employee) = @_;
        my @rest = ('Address_GetListCurrent', $header, 1, EmployeeId => $employee // 1);
        fault($name, $code, $message, $employees, @rest);
    };
    my ($invalid, $unauthorized) = ('Invalid Authentication', 'Unauthorized access');
    $refused->('wrong token', 1001, $invalid, { @full, Token => 'wrong' });
    $refused->('missing header', 1001, $invalid, undef);
    $refused->('unknown domain', 1001, $invalid, { Domain => 'nowhere' });
    $refused->('the domain of others', 1003, $unauthorized, { @full, Domain => 'globex' });
    $refused->('unknown employee', 2003, $unauthorized, \%domain, 4711);
    $refused->('employee of another domain', 2003, $unauthorized, \%domain, 3);
}

# The parameters of an insert; fields in the order of the description.
sub insertion {
    my ($employee, %fields) = @_;
    my %all = (Id => 0, Default => 'false', %fields);
    my @present = grep { exists $all{$_} } 'Id', 'Default', @strings, 'Type';
    return (EmployeeId => $employee, Address => [map { $_ => $all{$_} } @present]);
}

sub insert_checks {
    my ($employees) = @_;
    my $insert = sub {
        result($employees, 'Address_InsertCurrent', \%domain, 1, insertion(2, @_));
    };
    my %sent = (
        Street => $awkward, HouseNumber => '12', PostalCode => '1011 AB', City => ' é ',
        StateProvince => '', CountryISOCode => 'NL', Type => 'HolidaysAddress',
    );
    my $new_id = $insert->(%sent);
    check('insert answers a number', $new_id =~ /^[1-9]\d*$/, $new_id);
    my @list = addresses($employees, 2, \%domain);
    check('the inserted address is listed alone', @list == 1 && $list[0]{Id} == $new_id, scalar @list);
    my @different = grep { ($list[0]{$_} // '(absent)') ne $sent{$_} } keys %sent;
    check('it reads back as it was sent', !@different, map { "$_ $list[0]{$_}" } @different);
    check('the absent string stays absent', !exists $list[0]{HouseNumberAddition});
    my $bare = $insert->(Default => 'true', Type => 'WeekendAddress');
    my $last = $insert->(Default => 'true', Type => 'WorkAddress');
    check('ids rise', $new_id < $bare && $bare < $last, $new_id, $bare, $last);
    my %full = map { $_ => "$_ ü" } @strings;
    $insert->(%full, Type => 'AbsenceAddress');
    $insert->(map({ $_ => '' } @strings), Type => 'PostAddress');
    @list = addresses($employees, 2, \%domain);
    my $defaults = join ' ', map { $_->{Default} } @list;
    check('a new default replaces the old', $defaults eq 'false false true false false', $defaults);
    check('all strings absent', join(' ', sort keys %{ $list[1] }) eq 'Default Id Type', keys %{ $list[1] });
    check('all strings filled', 7 == grep({ ($list[3]{$_} // '') eq $full{$_} } @strings), values %{ $list[3] });
    check('all strings empty', 7 == grep({ ($list[4]{$_} // 'absent') eq '' } @strings), values %{ $list[4] });
    my @unknown = insertion(4711, Type => 'HomeAddress');
    my @expected = (2003, 'Unauthorized access', $employees, 'Address_InsertCurrent', \%domain, 1);
    fault('insert for an unknown employee', @expected, @unknown);
    my @untyped = insertion(2, Street => 'untyped ü', Type => 'HomeAddress');
    my $coded = call($employees, 'Address_InsertCurrent', \%domain, 1, @untyped);
    my $refusal = $coded->fault && reason($coded);
    check('text that it makes base64', $refusal =~ m{Address/Street: xsi:type names 'xsd:base64Binary'}, $refusal);
    my $response = call($employees, 'Address_InsertCurrent', \%domain, 1, insertion(2, Type => 'Home'));
    my $told = $response->fault && reason($response);
    check('a type that there is not', $told =~ m{Address/Type: 'Home'.*HomeAddress}, $told);
}

sub debtor_checks {
    my ($debtors, $token) = @_;
    my $settings = sub {
        my ($debtor, $header) = @_;
        my $response = call($debtors, 'WebhookSettings_Get', $header, 1, DebtorId => $debtor);
        die reason($response) if $response->fault;
        return $response->valueof('//WebhookSettings_GetResult/WebhookSetting');
    };
    my @found = $settings->(1, \%domain);
    my @described = map { "$_->{WebhookSettingId} $_->{Name} $_->{Active}" } @found;
    check('debtor 1 has its settings', "@described" eq '1 Payroll runs true 2 Archive false', @described);
    check('with an endpoint each', 2 == grep({ length $_->{Endpoint} } @found));
    # valueof keeps the last of elements that repeat in a hash.
    my $response = call($debtors, 'WebhookSettings_Get', \%domain, 0, DebtorId => 1);
    my @events = map { "$_->{EventId} $_->{EventName} $_->{Active}" } $response->valueof('//WebhookSetting/Event');
    check('with events', "@events" eq '1 Run Finish true 2 Journals Finish false', @events);
    check('or without', !exists $found[1]{Event});
    check('debtor 2 has none', 0 == (my @none = $settings->(2, \%domain)));
    check('debtor 3 of the other domain', 1 == (my @other = $settings->(3, { Domain => 'globex' })));
    my @full = (Username => 'alice', Token => $token, %domain);
    check('with an issued token', 2 == (my @own = $settings->(1, { @full })));
    my $refused = sub {
        my ($name, $code, $message, $debtor, $header) = @_;
        fault($name, $code, $message, $debtors, 'WebhookSettings_Get', $header, 1, DebtorId => $debtor);
    };
    $refused->('unknown debtor', 2009, 'Unauthorized access', 4711, \%domain);
    $refused->('debtor of another domain', 2009, 'Unauthorized access', 3, \%domain);
    $refused->('debtor, missing header', 1001, 'Invalid Authentication', 1, undef);
}

# The code that SOAP::Lite generates from a WSDL leaves the children of an operation without a namespace,
# whatever the schema says. That must be refused in words: the value would be lost.
sub stub_checks {
    my ($sign_on) = @_;
    my $text = '';
    my $stub = SOAP::Lite->soapversion($version)->on_fault(sub { $text = reason($_[1]); $_[1] });
    $stub->service($sign_on->{url})->on_fault(sub { $text = reason($_[1]); $_[1] })->GetToken2('alice', 'x');
    check('its stub is told that Username is in no namespace', $text =~ /Username: is in no namespace/, $text);
}

# Against a server that was started with --auth token --no-deprecated.
sub token_checks {
    my ($sign_on, $employees, $debtors, $token) = @_;
    my $response = call($sign_on, 'GetToken', undef, 1, Username => 'alice', Password => 'correct horse');
    my $told = $response->fault ? reason($response) : 'it was served';
    check('--no-deprecated: GetToken', $told =~ /use GetToken2 instead$/, $told);
    my @list = addresses($employees, 1, { Username => 'alice', Token => $token, %domain });
    check('--auth token: with a token', @list == 3, scalar @list);
    my @expected = (1001, 'Invalid Authentication');
    my @employee = ('Address_GetListCurrent', \%domain, 1, EmployeeId => 1);
    my @debtor = ('WebhookSettings_Get', \%domain, 1, DebtorId => 1);
    fault('--auth token: Domain alone', @expected, $employees, @employee);
    fault('--auth token: Domain alone, debtor', @expected, $debtors, @debtor);
}

eval {
    my ($sign_on, $employees, $debtors) = map { service($_) } qw(SingleSignOn EmployeeService DebtorService);
    my $read = map { keys %{ $_->{operations} } } $sign_on, $employees, $debtors;
    check('the WSDLs are read', $read == 6, $read);
    if ($mode eq 'token') {
        my @api = (Username => 'alice', Token => 'api-token-alice');
        token_checks($sign_on, $employees, $debtors, result($sign_on, 'GetToken2', undef, 1, @api));
    } else {
        my $token = sign_on_checks($sign_on);
        list_checks($employees);
        header_checks($employees, $token);
        insert_checks($employees);
        debtor_checks($debtors, $token);
        stub_checks($sign_on);
    }
    1;
} or check("no error of the client's own", 0, $@); # one that gives up is a failed check
print "$passed passed, $failed failed\n";
exit($failed ? 1 : 0);
