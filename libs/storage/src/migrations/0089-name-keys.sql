-- Names are one where people read the same: without regard to letter case, form of composition and characters that have no width.
create function vantage_name_key(name text) returns text immutable parallel safe language sql as $$
  select lower(regexp_replace(normalize(name, NFKC),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0]', '', 'g'))
$$;
create index tags_name_key on tags (account_no, vantage_name_key(name));
create index contacts_name_key on contacts (account_no, vantage_name_key(name));
create index agents_name_key on agents (account_no, vantage_name_key(name));
