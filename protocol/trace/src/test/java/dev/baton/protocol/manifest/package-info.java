@NullMarked
package dev.baton.protocol.manifest;

import org.jspecify.annotations.NullMarked;
