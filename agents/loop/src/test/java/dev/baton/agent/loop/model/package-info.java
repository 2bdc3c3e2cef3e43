@NullMarked
package dev.baton.agent.loop.model;

import org.jspecify.annotations.NullMarked;
