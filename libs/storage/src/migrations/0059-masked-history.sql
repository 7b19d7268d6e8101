-- Credentials in the query of a device's URL are shown as *** in what the audit and notifications kept of earlier
-- versions, too (mapQuerySecrets in libs/domain). The message of a notification that was composed already stays:
-- every attempt sends the same.
create function masked_query(url text) returns text language sql immutable as $$
  select substring(url from '^[^?]*\?') || regexp_replace(
    substring(url from '\?(.*)$'),
    '((?:^|&)[^=&#]*(?:auth|code|credential|key|pass|pwd|secret|sig|token)[^=&#]*=)(?!\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}(?:[&#]|$))[^&#]+',
    '\1***', 'gi')
$$;
update notifications set data = jsonb_set(data, '{URL}', to_jsonb(masked_query(data->>'URL')))
  where data->>'Method' = 'HTTP' and data->>'URL' like '%?%' and masked_query(data->>'URL') <> data->>'URL';
update audit set changes = (
    select jsonb_agg(case when c->>'Field' <> 'URL' then c else c
      || case when c->>'Old' like 'http%?%' then jsonb_build_object('Old', masked_query(c->>'Old')) else '{}' end
      || case when c->>'New' like 'http%?%' then jsonb_build_object('New', masked_query(c->>'New')) else '{}' end end order by at)
    from jsonb_array_elements(changes) with ordinality as e(c, at))
  where kind = 'device' and changes @> '[{"Field": "URL"}]' and changes::text like '%?%';
drop function masked_query(text);
