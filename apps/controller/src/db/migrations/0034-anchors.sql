-- What agents find of the anchors of their Location, and the anchors that have an open alert.
alter table agents add column anchor_states jsonb not null default '[]';
alter table locations add column failed_anchors jsonb not null default '[]';
