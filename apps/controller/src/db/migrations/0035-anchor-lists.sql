-- Locations that the API created have the text "[]" where a list belongs.
update locations set anchors = '[]' where jsonb_typeof(anchors) <> 'array';
update locations set failed_anchors = '[]' where jsonb_typeof(failed_anchors) <> 'array';
update agents set anchor_states = '[]' where jsonb_typeof(anchor_states) <> 'array';
