/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * What restore, copy and merge share: a fresh directory that takes a target's place, ways down that
 * follow no link, attributes set exactly, files copied, trees removed.
 */
@NullMarked
package dev.baton.snapshot.files;

import org.jspecify.annotations.NullMarked;
