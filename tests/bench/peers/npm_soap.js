// npm_soap.js WSDL: npm's soap serves EmployeeService from memory. Prints its port.
const fs = require("fs");
const http = require("http");
const soap = require("soap");

const addresses = [
    ["1", "true", "Keizersgracht", "12", "A", "1015 CJ", "Amsterdam", "Noord-Holland", "NL", "HomeAddress"],
    ["2", "false", "Postbus", "345", undefined, "1000 AH", "Amsterdam", "Noord-Holland", "NL", "PostAddress"],
    ["3", "false", "Königsallee", "60", "3. Etage", "40212", "Düsseldorf", "", "DE", "WorkAddress"],
].map(([Id, Default, Street, HouseNumber, HouseNumberAddition, PostalCode, City, StateProvince,
    CountryISOCode, Type]) => {
    const address = { Id, Default, Street, HouseNumber };
    if (HouseNumberAddition !== undefined) address.HouseNumberAddition = HouseNumberAddition;
    return { ...address, PostalCode, City, StateProvince, CountryISOCode, Type };
});

const list = () => ({ Address_GetListCurrentResult: { EmployeeAddress: addresses } });
const operations = { Address_GetListCurrent: list };
const service = { EmployeeService: { EmployeeServiceSoap: operations, EmployeeServiceSoap12: operations } };
const server = http.createServer((request, response) => response.writeHead(404).end());
server.keepAliveTimeout = 60000;
server.listen(0, "127.0.0.1", () => {
    soap.listen(server, "/soap/v3/EmployeeService.asmx", service, fs.readFileSync(process.argv[2], "utf8"));
    console.log(server.address().port);
});
