-- Options of contacts whose body is a template: {"To", "Body", "ContentType", "SecretHeader"}, none of them secret. Null: the type has none.
alter table contacts add column options jsonb null;
