/** What liveness and launchers tell failover. */
@NullMarked
package dev.baton.protocol.signal;

import org.jspecify.annotations.NullMarked;
