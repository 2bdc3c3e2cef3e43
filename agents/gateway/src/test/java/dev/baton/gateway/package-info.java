/** Tests of the gateway over sockets, against the scripted endpoint. */
@NullMarked
package dev.baton.gateway;

import org.jspecify.annotations.NullMarked;
