/** The Kafka topics: names, settings, creation, and codecs of their records. */
@NullMarked
package dev.baton.protocol.topic;

import org.jspecify.annotations.NullMarked;
