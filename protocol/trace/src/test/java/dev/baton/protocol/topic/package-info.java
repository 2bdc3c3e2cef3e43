/** Tests of the topics' contracts. */
@NullMarked
package dev.baton.protocol.topic;

import org.jspecify.annotations.NullMarked;
