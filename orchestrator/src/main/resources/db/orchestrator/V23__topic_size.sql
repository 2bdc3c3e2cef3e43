-- The numbers of partitions that a topic has had. The smallest is the first that was noticed; each further one is a growth.
CREATE TABLE orchestrator.topic_size (
    topic text NOT NULL,
    partitions integer NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partitions)
);
