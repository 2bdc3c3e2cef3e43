@NullMarked
package dev.baton.agent.loop.tool;

import org.jspecify.annotations.NullMarked;
