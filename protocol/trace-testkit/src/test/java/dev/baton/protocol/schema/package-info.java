@NullMarked
package dev.baton.protocol.schema;

import org.jspecify.annotations.NullMarked;
