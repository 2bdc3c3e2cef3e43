/** Tests of the topics' contracts. */
@NullMarked
package dev.baton.protocol.clock;

import org.jspecify.annotations.NullMarked;
