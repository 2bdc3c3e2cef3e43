/** What a data folder says about its stack. */
@NullMarked
package dev.baton.standalone.state;

import org.jspecify.annotations.NullMarked;
