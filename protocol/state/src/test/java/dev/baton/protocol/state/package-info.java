@NullMarked
package dev.baton.protocol.state;

import org.jspecify.annotations.NullMarked;
