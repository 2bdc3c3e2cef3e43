/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * File operations shared by restore, copy and merge: a staged directory that replaces a target,
 * navigation that follows no link, exact metadata, file copies, removal of trees.
 */
@NullMarked
package dev.baton.snapshot.files;

import org.jspecify.annotations.NullMarked;
