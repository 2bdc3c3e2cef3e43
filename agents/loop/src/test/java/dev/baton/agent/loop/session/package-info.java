@NullMarked
package dev.baton.agent.loop.session;

import org.jspecify.annotations.NullMarked;
