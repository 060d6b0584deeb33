\set employee random(1001, 11000)
\set one random(0, 9223372036854775806)
\set other random(0, 9223372036854775806)
BEGIN;
WITH keyed AS (INSERT INTO insert_key (domain_id, key, address_id) SELECT domain_id, decode(lpad(to_hex(:one::bigint), 16, '0') || lpad(to_hex(:other::bigint), 16, '0'), 'hex'), nextval('address_id_seq')::integer FROM employee WHERE domain_id = :domain AND id = :employee ON CONFLICT (domain_id, key) DO NOTHING RETURNING address_id) INSERT INTO address (domain_id, employee_id, id, is_default, street, house_number, house_number_addition, postal_code, city, state_province, country_iso_code, type, first_day, last_day) SELECT :domain::bigint, :employee::integer, address_id, false, 'Lange Gracht', '12', NULL, '3500 AA', 'Utrecht', 'Utrecht', 'NL', 0, :today::date, NULL FROM keyed RETURNING id;
COMMIT;
