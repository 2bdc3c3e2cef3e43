/** For tests: runs sessions of agents over kills, with a scripted model and a gateway. */
@NullMarked
package dev.baton.agent.testkit;

import org.jspecify.annotations.NullMarked;
