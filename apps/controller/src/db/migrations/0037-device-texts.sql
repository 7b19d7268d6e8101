-- What a search of devices reads: their names and URLs in lower case, in a table of small rows. The triggers keep it.
create table device_texts (
  device_no int primary key references devices on delete cascade,
  account_no int not null,
  short_name text not null,                                          -- as it is, for the order of a list
  text text not null                                                 -- ShortName, FullName and URL, a line each
);

-- Every three neighbouring letters of a text (two or one at its end), after the number of the account: `7:abc`. Of a text of more than 2,000
-- letters it has the first 2,000, and the mark `7+`. It needs no extension.
create function device_grams(account int, content text) returns tsvector
language plpgsql immutable strict parallel safe
cost 10000 -- A plan uses the index, and never makes the grams of each row.
as $$
declare letters text[] := string_to_array(left(content, 2000), null);
begin
  return array_to_tsvector(array(
    select account || ':' || a || coalesce(b, '') || coalesce(c, '') from unnest(letters, letters[2:], letters[3:]) as l (a, b, c)
    union all select account || '+' where length(content) > 2000));
end $$;

-- Which devices of the account may have this text in lower case? One or two letters are the begin of a gram. Of a longer text every third gram is
-- asked for, and the last one, so that each letter is in one of them.
create function device_gram_query(account int, search text) returns tsquery
language plpgsql immutable strict parallel safe
as $$
declare last int := greatest(length(search) - 2, 1);
begin
  return (
    select '(' || string_agg(quoted || case when length(search) < 3 then ':*' else '' end, ' & ') || ') | ''' || account || '+'''
    from (
      select '''' || replace(replace(account || ':' || substr(search, at, 3), '\', '\\'), '''', '''''') || '''' as quoted
      from generate_series(1, last) at where at % 3 = 1 or at = last) grams)::tsquery;
end $$;

create function keep_device_texts() returns trigger language plpgsql as $$
begin
  insert into device_texts (device_no, account_no, short_name, text)
  values (new.device_no, new.account_no, new.short_name,
    lower(new.short_name || chr(10) || coalesce(new.full_name, '') || chr(10) || new.url))
  on conflict (device_no) do update
  set account_no = excluded.account_no, short_name = excluded.short_name, text = excluded.text;
  return null;
end $$;
create trigger devices_text_come after insert on devices for each row execute function keep_device_texts();
create trigger devices_text_change after update of account_no, short_name, full_name, url on devices for each row
  when ((old.account_no, old.short_name, old.full_name, old.url) is distinct from (new.account_no, new.short_name, new.full_name, new.url))
  execute function keep_device_texts();

insert into device_texts (device_no, account_no, short_name, text)
select device_no, account_no, short_name, lower(short_name || chr(10) || coalesce(full_name, '') || chr(10) || url) from devices;
-- A search reads what was not yet put in its place one by one, so that is kept short (kB).
create index device_texts_grams on device_texts using gin (device_grams(account_no, text)) with (gin_pending_list_limit = 1024);
-- Without statistics a plan expects few devices, and uses the index for every text.
alter index device_texts_grams alter column 1 set statistics 0;

-- The index of earlier versions, where the extension pg_trgm was there. It needed three letters.
drop index if exists devices_search;
