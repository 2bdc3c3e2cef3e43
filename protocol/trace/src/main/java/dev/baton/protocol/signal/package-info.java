/** Signals from liveness monitoring, launchers and runners to the failover component. */
@NullMarked
package dev.baton.protocol.signal;

import org.jspecify.annotations.NullMarked;
