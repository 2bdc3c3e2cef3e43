@NullMarked
package dev.baton.protocol.log;

import org.jspecify.annotations.NullMarked;
