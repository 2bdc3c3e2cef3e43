@NullMarked
package dev.baton.protocol.trace;

import org.jspecify.annotations.NullMarked;
