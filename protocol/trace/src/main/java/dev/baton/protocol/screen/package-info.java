/** What checkpoints keep of the screens of interactive steps. */
@NullMarked
package dev.baton.protocol.screen;

import org.jspecify.annotations.NullMarked;
