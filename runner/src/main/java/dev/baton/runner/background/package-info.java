/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Processes that an agent leaves running in the background: finds them at a boundary, keeps what is
 * needed to start them again, and starts them at a resume.
 */
@NullMarked
package dev.baton.runner.background;

import org.jspecify.annotations.NullMarked;
