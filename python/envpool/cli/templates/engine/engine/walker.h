/* walker: an engine, which knows nothing of environments. A line, and somebody who walks on it. */
#ifndef WALKER_H
#define WALKER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct walker walker;

enum walker_error { WALKER_OK, WALKER_NOT_FINITE };

/* NULL if there is no memory. */
walker* walker_new(double length);
void walker_free(walker* self);

/* Those that can fail return a walker_error, and have changed nothing then. What is beyond an end
   of the line is that end. */
int walker_place(walker* self, double position);
int walker_move(walker* self, double metres);

double walker_position(const walker* self);

const char* walker_describe(int error);

#ifdef __cplusplus
}
#endif

#endif
