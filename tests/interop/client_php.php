<?php
// PHP's SoapClient against the payroll demo: client_php.php URL 1.1|1.2 full|token
//
// Reads the three WSDLs, calls all six operations, checks typed values, faults and a round trip.
// The other two clients in this folder make the same checks under the same names.

declare(strict_types=1);

const NAMESPACES = 'https://payroll.example.com/soap/v3/';
const AWKWARD = "Café & <b>Straße</b> \"€\" 'ü' ]]> 日本";
const DOMAIN = ['Domain' => 'acme'];

[, $base, $version, $mode] = $argv;
$passed = $failed = 0;

function check(string $name, bool $good, mixed $found = null): void
{
    global $passed, $failed, $version;
    $good ? $passed++ : $failed++;
    $more = $good ? '' : ': ' . preg_replace('/\s+/', ' ', var_export($found, true));
    echo $good ? 'ok  ' : 'FAIL', " php $version: $name$more\n";
}

/** One WSDL. SoapClient picks the port by the version that it is told to speak. */
final class Service
{
    public readonly SoapClient $client;

    public function __construct(public readonly string $name)
    {
        global $base, $version;
        $this->client = new SoapClient("$base/soap/v3/$name.asmx?WSDL", [
            'soap_version' => $version === '1.1' ? SOAP_1_1 : SOAP_1_2,
            'cache_wsdl' => WSDL_CACHE_NONE,
            'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
            'trace' => true,
            'connection_timeout' => 10,
        ]);
    }

    public function call(string $operation, array $parameters, ?array $header = null): mixed
    {
        $headers = $header === null ? []
            : [new SoapHeader(NAMESPACES . $this->name, 'AuthHeaderWithDomain', (object) $header)];
        $response = $this->client->__soapCall($operation, [$parameters], null, $headers);
        return $response->{$operation . 'Result'} ?? null;
    }

    /** The call must fail with the code in the text, and typed in the detail where there is one. */
    public function fault(string $name, int $code, string $message, string $operation, array $parameters, ?array $header = null): void
    {
        global $version;
        try {
            check($name, false, $this->call($operation, $parameters, $header));
            return;
        } catch (SoapFault $caught) {
            $fault = $caught;
        }
        check($name, $fault->getMessage() === "Unable to process request. ---> $code: $message", $fault->getMessage());
        $parts = explode(':', (string) $fault->faultcode);
        check("$name, its code", end($parts) === ($version === '1.1' ? 'Client' : 'Sender'), $fault->faultcode);
        $detail = $fault->detail ?? null;
        if ($version === '1.1' && ($code === 1001 || $code === 1003)) {
            // SOAP 1.1, 4.4: an error about a header block carries no detail.
            if ($code === 1001 && $this->name !== 'SingleSignOn') {
                check("$name, no detail", $detail === null, $detail);
            }
            return;
        }
        $found = [(int) ($detail->Error->Code ?? 0), $detail->Error->Message ?? null];
        check("$name, its detail", $found === [$code, $message], $detail);
    }

    /** The elements of that name in the raw response. */
    public function elements(string $name): array
    {
        $document = new DOMDocument();
        $document->loadXML($this->client->__getLastResponse());
        return iterator_to_array($document->getElementsByTagNameNS('*', $name));
    }
}

function text_of(DOMElement $element, string $name): ?string
{
    return $element->getElementsByTagNameNS('*', $name)->item(0)?->textContent;
}

function addresses(Service $employees, int $employee, ?array $header): array
{
    return $employees->call('Address_GetListCurrent', ['EmployeeId' => $employee], $header)->EmployeeAddress ?? [];
}

function sign_on_checks(Service $sign_on): string
{
    global $version;
    $tokens = [
        'GetToken2' => $sign_on->call('GetToken2', ['Username' => 'alice', 'Token' => 'api-token-alice']),
        'GetToken' => $sign_on->call('GetToken', ['Username' => 'alice', 'Password' => 'correct horse']),
        'GetTokenWithDomain' => $sign_on->call(
            'GetTokenWithDomain',
            ['Username' => 'alice', 'Password' => 'correct horse', 'Domain' => 'acme'],
        ),
    ];
    foreach ($tokens as $name => $token) {
        check("$name answers a token", preg_match('/^[A-Za-z0-9_-]{43}$/', (string) $token) === 1, $token);
    }
    check('every token is a new one', count(array_unique($tokens)) === 3, $tokens);
    $envelope = $sign_on->elements('Envelope')[0]->namespaceURI;
    check('the response speaks the version', $envelope === ($version === '1.1'
        ? 'http://schemas.xmlsoap.org/soap/envelope/' : 'http://www.w3.org/2003/05/soap-envelope'), $envelope);
    $wrong = 'Invalid Authentication';
    $sign_on->fault('GetToken2, wrong API token', 1001, $wrong, 'GetToken2', ['Username' => 'alice', 'Token' => 'wrong']);
    $sign_on->fault('GetToken, wrong password', 1001, $wrong, 'GetToken', ['Username' => 'alice', 'Password' => 'wrong']);
    $sign_on->fault(
        'GetTokenWithDomain, unknown domain',
        1001,
        $wrong,
        'GetTokenWithDomain',
        ['Username' => 'alice', 'Password' => 'correct horse', 'Domain' => 'nowhere'],
    );
    return $tokens['GetToken2'];
}

function list_checks(Service $employees): void
{
    $list = addresses($employees, 1, DOMAIN);
    $elements = $employees->elements('EmployeeAddress');
    check('employee 1 has three addresses', count($list) === 3, $list);
    check('types', array_column($list, 'Type') === ['HomeAddress', 'PostAddress', 'WorkAddress'], $list);
    check('one default, the first', array_column($list, 'Default') === [true, false, false], $list);
    $ids = array_column($list, 'Id');
    $sorted = array_unique($ids);
    sort($sorted);
    check('ids are numbers in order', array_filter($ids, 'is_int') === $sorted && count($ids) === 3, $ids);
    $filled = true;
    foreach ($list as $address) {
        foreach (['Street', 'HouseNumber', 'PostalCode', 'City', 'CountryISOCode'] as $name) {
            $filled = $filled && ($address->$name ?? '') !== '';
        }
    }
    check('the other fields are filled', $filled, $list);
    $additions = array_map(fn ($address) => $address->HouseNumberAddition ?? null, $list);
    check('one HouseNumberAddition is absent', count(array_keys($additions, null, true)) === 1
        && !in_array('', $additions, true), $additions);
    $states = array_map(fn ($address) => $address->StateProvince ?? null, $list);
    check('one StateProvince is empty', count(array_keys($states, '', true)) === 1
        && !in_array(null, $states, true), $states);
    $raw = array_map(fn ($element) => text_of($element, 'StateProvince'), $elements);
    check('and so it is in the raw response', $raw === $states, $raw);
    check('employee 2 has none', addresses($employees, 2, DOMAIN) === []);
    $many = addresses($employees, 100, DOMAIN);
    check('employee 100 has a hundred', count($many) === 100 && count(array_unique(array_column($many, 'Id'))) === 100);
    check('employee 3 of the other domain', count(addresses($employees, 3, ['Domain' => 'globex'])) === 1);
}

function header_checks(Service $employees, string $token): void
{
    $served = fn (array $header) => count(addresses($employees, 1, $header)) === 3;
    $full = ['Username' => 'alice', 'Token' => $token, 'Domain' => 'acme'];
    check('header with an issued token', $served($full));
    check('header with the API token', $served(['Token' => 'api-token-alice'] + $full));
    check('header without Domain', $served(['Username' => 'alice', 'Token' => $token]));

    $refused = fn (string $name, int $code, string $message, ?array $header, int $employee = 1) => $employees->fault(
        $name,
        $code,
        $message,
        'Address_GetListCurrent',
        ['EmployeeId' => $employee],
        $header,
    );
    $refused('wrong token', 1001, 'Invalid Authentication', ['Token' => 'wrong'] + $full);
    $refused('missing header', 1001, 'Invalid Authentication', null);
    $refused('unknown domain', 1001, 'Invalid Authentication', ['Domain' => 'nowhere']);
    $refused('the domain of others', 1003, 'Unauthorized access', ['Domain' => 'globex'] + $full);
    $refused('unknown employee', 2003, 'Unauthorized access', DOMAIN, 4711);
    $refused('employee of another domain', 2003, 'Unauthorized access', DOMAIN, 3);
}

function insert_checks(Service $employees): void
{
    $insert = fn (array $address, int $employee = 2) => $employees->call(
        'Address_InsertCurrent',
        ['EmployeeId' => $employee, 'Address' => $address + ['Id' => 0, 'Default' => false]],
        DOMAIN,
    );
    $sent = [
        'Street' => AWKWARD, 'HouseNumber' => '12', 'PostalCode' => '1011 AB', 'City' => ' é ',
        'StateProvince' => '', 'CountryISOCode' => 'NL', 'Type' => 'HolidaysAddress',
    ];
    $new_id = $insert($sent);
    check('insert answers a number', is_int($new_id) && $new_id > 0, $new_id);
    $list = addresses($employees, 2, DOMAIN);
    check('the inserted address is listed alone', array_column($list, 'Id') === [$new_id], $list);
    $found = get_object_vars($list[0]);
    unset($found['Id'], $found['Default']);
    check('it reads back as it was sent', $found == $sent, $found);
    check('in the raw response as well', text_of($employees->elements('EmployeeAddress')[0], 'Street') === AWKWARD);
    check('the absent string stays absent', text_of($employees->elements('EmployeeAddress')[0], 'HouseNumberAddition') === null);
    $bare = $insert(['Default' => true, 'Type' => 'WeekendAddress']);
    $last = $insert(['Default' => true, 'Type' => 'WorkAddress']);
    check('ids rise', $new_id < $bare && $bare < $last, [$new_id, $bare, $last]);
    $list = addresses($employees, 2, DOMAIN);
    check('a new default replaces the old', array_column($list, 'Default') === [false, false, true], $list);
    check('all strings absent', array_keys(get_object_vars($list[1])) === ['Id', 'Default', 'Type'], $list[1]);
    $employees->fault(
        'insert for an unknown employee',
        2003,
        'Unauthorized access',
        'Address_InsertCurrent',
        ['EmployeeId' => 4711, 'Address' => ['Id' => 0, 'Default' => false, 'Type' => 'HomeAddress']],
        DOMAIN,
    );
}

function debtor_checks(Service $debtors, string $token): void
{
    $settings = fn (int $debtor, array $header) =>
        $debtors->call('WebhookSettings_Get', ['DebtorId' => $debtor], $header)->WebhookSetting ?? [];
    $found = $settings(1, DOMAIN);
    $described = array_map(fn ($s) => [$s->WebhookSettingId, $s->Name, $s->Active], $found);
    check('debtor 1 has its settings', $described === [[1, 'Payroll runs', true], [2, 'Archive', false]], $found);
    check('with an endpoint each', count(array_filter(array_column($found, 'Endpoint'))) === 2, $found);
    $events = array_map(fn ($e) => [$e->EventId, $e->EventName, $e->Active], $found[0]->Event ?? []);
    check('with events', $events === [[1, 'Run Finish', true], [2, 'Journals Finish', false]], $events);
    check('or without', ($found[1]->Event ?? []) === [], $found[1]);
    check('debtor 2 has none', $settings(2, DOMAIN) === []);
    check('debtor 3 of the other domain', count($settings(3, ['Domain' => 'globex'])) === 1);
    check('with an issued token', count($settings(1, ['Username' => 'alice', 'Token' => $token, 'Domain' => 'acme'])) === 2);
    $refused = fn (string $name, int $code, string $message, int $debtor, ?array $header) =>
        $debtors->fault($name, $code, $message, 'WebhookSettings_Get', ['DebtorId' => $debtor], $header);
    $refused('unknown debtor', 2009, 'Unauthorized access', 4711, DOMAIN);
    $refused('debtor of another domain', 2009, 'Unauthorized access', 3, DOMAIN);
    $refused('debtor, missing header', 1001, 'Invalid Authentication', 1, null);
}

/** Against a server that was started with --auth token --no-deprecated. */
function token_checks(Service $sign_on, Service $employees, Service $debtors, string $token): void
{
    try {
        $found = $sign_on->call('GetToken', ['Username' => 'alice', 'Password' => 'correct horse']);
        check('--no-deprecated: GetToken', false, $found);
    } catch (SoapFault $fault) {
        $text = $fault->getMessage();
        check('--no-deprecated: GetToken', str_ends_with($text, 'use GetToken2 instead'), $text);
    }
    $full = ['Username' => 'alice', 'Token' => $token, 'Domain' => 'acme'];
    check('--auth token: with a token', count(addresses($employees, 1, $full)) === 3);
    $wrong = 'Invalid Authentication';
    $employees->fault('--auth token: Domain alone', 1001, $wrong, 'Address_GetListCurrent', ['EmployeeId' => 1], DOMAIN);
    $debtors->fault('--auth token: Domain alone, debtor', 1001, $wrong, 'WebhookSettings_Get', ['DebtorId' => 1], DOMAIN);
}

try {
    [$sign_on, $employees, $debtors] =
        array_map(fn ($name) => new Service($name), ['SingleSignOn', 'EmployeeService', 'DebtorService']);
    check('the WSDLs are read', count($sign_on->client->__getFunctions()) >= 3);
    if ($mode === 'token') {
        $token = $sign_on->call('GetToken2', ['Username' => 'alice', 'Token' => 'api-token-alice']);
        token_checks($sign_on, $employees, $debtors, $token);
    } else {
        $token = sign_on_checks($sign_on);
        list_checks($employees);
        header_checks($employees, $token);
        insert_checks($employees);
        debtor_checks($debtors, $token);
    }
} catch (Throwable $error) { // a client that gives up is a failed check, not a missing one
    check("no error of the client's own", false, $error->getMessage());
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
