/** The Kafka topics: names, settings and how they come to exist. */
@NullMarked
package dev.baton.protocol.topic;

import org.jspecify.annotations.NullMarked;
