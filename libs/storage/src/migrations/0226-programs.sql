-- The version of the program that made a migration, for the refusal of an older program. null: before 0.3.0.
alter table migrations add column version text;
-- The signed packages of agents that a gateway offers: {"hasKey": boolean, "parcels": [{"version", "arch"}]}. null: it has
-- not said so yet.
alter table controllers add column signed_parcels jsonb;
