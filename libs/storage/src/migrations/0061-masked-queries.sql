-- Credentials in the query of a device's URL are shown as ***, as those in the addresses of contacts are
-- (mapQuerySecrets in libs/domain). The sealed URL keeps them.
create function masked_query(url text) returns text language sql immutable as $$
  select substring(url from '^[^?]*\?') || regexp_replace(
    substring(url from '\?(.*)$'),
    '((?:^|&)[^=&#]*(?:auth|code|credential|key|pass|pwd|secret|sig|token)[^=&#]*=)(?!\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}(?:[&#]|$))[^&#]+',
    '\1***', 'gi')
$$;
update devices set url = masked_query(url) where method = 'HTTP' and url like '%?%' and masked_query(url) <> url;
drop function masked_query(text);
